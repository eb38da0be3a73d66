import type { QuietHours } from '../config/index.ts';

/** Whether a time, in milliseconds since the epoch, is in the quiet hours. */
export function isQuiet({ from, to, time_zone }: QuietHours, now: number): boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: time_zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const time = format.format(now);
  return from < to ? time >= from && time < to : time >= from || time < to;
}
