import type { QuietHours } from '../config/index.ts';

/** Tells whether a time, in milliseconds since the epoch, is in the quiet hours. Make it once: the format is expensive to make. */
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
