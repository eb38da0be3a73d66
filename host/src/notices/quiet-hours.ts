import type { QuietHours } from '../config/index.ts';

/** Returns a test whether a time, in milliseconds since the epoch, is in the quiet hours. Create it once, because that is expensive. */
export function quietHours({ from, to, time_zone }: QuietHours): (now: number) => boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: time_zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (now) => {
    const time = format.format(now);
    return from < to ? time >= from && time < to : time >= from || time < to;
  };
}
