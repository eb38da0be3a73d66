import { element } from './dom.ts';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const absolute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** Time since a moment, in the largest unit that fits. Under a minute, or a future time (slow clock), is `just now`. */
export function timeAgo(iso: string, now: number): string {
  return inUnits(now - Date.parse(iso), -1) ?? 'just now';
}

/** Time until a moment, in the largest unit that fits. Under a minute, or a past time (fast clock), is `any moment`. */
export function timeUntil(iso: string, now: number): string {
  return inUnits(Date.parse(iso) - now, 1) ?? 'any moment';
}

function inUnits(milliseconds: number, sign: 1 | -1): string | null {
  const seconds = milliseconds / 1000;
  const fitting = UNITS.find(([, length]) => seconds >= length);
  if (fitting === undefined) return null;
  const [unit, length] = fitting;
  return relative.format(sign * Math.floor(seconds / length), unit);
}

/** A past moment, relative and by the calendar. {@link refreshMoments} keeps it current. */
export function moment(iso: string): HTMLElement {
  const made = element('time', { datetime: iso });
  write(made);
  return made;
}

const inZone = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** A moment to the second, in the time zone of the browser. */
export function timeView(iso: string): HTMLElement {
  return element('time', { datetime: iso, 'data-exact': true, title: iso }, inZone.format(Date.parse(iso)));
}

/** Like {@link moment}, for a future time. */
export function deadline(iso: string): HTMLElement {
  const made = element('time', { datetime: iso, 'data-ahead': true });
  write(made);
  return made;
}

export function refreshMoments(within: ParentNode): void {
  for (const found of within.querySelectorAll<HTMLTimeElement>('time:not([data-exact])')) write(found);
}

function write(time: HTMLTimeElement): void {
  const iso = time.dateTime;
  const distance = time.dataset.ahead === undefined ? timeAgo(iso, Date.now()) : timeUntil(iso, Date.now());
  const text = `${distance} (${absolute.format(Date.parse(iso))})`;
  if (time.textContent !== text) time.textContent = text;
}
