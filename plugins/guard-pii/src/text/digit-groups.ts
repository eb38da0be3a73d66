import { isDigit } from './characters.ts';

/** A run of digits. */
export interface DigitGroup {
  readonly start: number;
  readonly end: number;
  /** The text between this group and the next. */
  readonly gap: string;
  /** The group that may continue the number. Null if a letter or another sign comes first. */
  readonly next: DigitGroup | null;
}

class Group implements DigitGroup {
  readonly start: number;
  readonly end: number;
  gap = '';
  next: Group | null = null;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }
}

/** Characters between the groups of a number: `089 / 123456`, `(212) 555-0123`. */
const SIGNS: ReadonlySet<string> = new Set(' -+./()\t\n');
const LONGEST_GAP = 3;

/** All runs of digits from `from` on, linked where they may be groups of one number. */
export function digitGroups(text: string, from: number): readonly DigitGroup[] {
  const groups: Group[] = [];
  const digit = /\d/g;
  digit.lastIndex = from;
  for (let last: Group | undefined; digit.test(text); ) {
    const start = digit.lastIndex - 1;
    let end = digit.lastIndex;
    while (isDigit(text.charCodeAt(end))) end += 1;
    digit.lastIndex = end;
    const group = new Group(start, end);
    groups.push(group);
    if (last !== undefined && start - last.end <= LONGEST_GAP) link(text, last, group);
    last = group;
  }
  return groups;
}

function link(text: string, group: Group, next: Group): void {
  for (let at = group.end; at < next.start; at++) if (!SIGNS.has(text.charAt(at))) return;
  group.gap = text.slice(group.end, next.start);
  group.next = next;
}

/** Maximum number of groups of a number, and of digits that {@link lengthsFrom} counts. */
export const MAX_GROUPS = 8;
const MAX_LENGTH = 31;

/** The lengths of the numbers that may begin with a group, as bits: bit 9 is set if a group ends after nine digits. */
export function lengthsFrom(first: DigitGroup): number {
  let lengths = 0;
  let length = 0;
  let group: DigitGroup | null = first;
  for (let count = 0; group !== null && count < MAX_GROUPS; count++) {
    length += group.end - group.start;
    if (length > MAX_LENGTH) break;
    lengths |= 1 << length;
    group = group.next;
  }
  return lengths;
}
