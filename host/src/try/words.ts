import type { Place } from './try-example.ts';

/** Characters shown on each side of what was found. */
const AROUND = 24;

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return '0 %';
  const share = (100 * part) / whole;
  // Neither a few look like none, nor most like all.
  if (part > 0 && share < 0.05) return `${share.toPrecision(2)} %`;
  return `${Math.min(share, part < whole ? 99.9 : share)
    .toFixed(1)
    .replace(/\.0$/, '')} %`;
}

export function milliseconds(ms: number): string {
  return `${ms >= 100 ? Math.round(ms).toLocaleString('en') : ms.toPrecision(2)} ms`;
}

/** Where something is: `messages.0.content 8-25`, or the offsets alone in a plain text. */
export function whereIs({ path, start, end, text }: Place, isText: boolean): string {
  const range = start === 0 && end === text.length ? 'whole text' : `${start}-${end}`;
  return isText ? range : `${path} ${range}`;
}

/** What was found, with a little of the text around it, on one line. */
export function excerptOf({ text, start, end }: Place): readonly [before: string, found: string, after: string] {
  const cut = (from: number, to: number): string => text.slice(from, to).toWellFormed().replace(/\s+/g, ' ');
  const [from, to] = [Math.max(0, start - AROUND), Math.min(text.length, end + AROUND)];
  const most = start + 5 * AROUND;
  return [
    (from > 0 ? '…' : '') + cut(from, start),
    end > most ? `${cut(start, most)}…` : cut(start, end),
    end > most ? '' : cut(end, to) + (to < text.length ? '…' : ''),
  ];
}
