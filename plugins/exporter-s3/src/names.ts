import { createHash } from 'node:crypto';

/** Numbers in names have this many digits, so that the order of names is the order of records. */
const DIGITS = 16;

export interface ObjectName {
  readonly first: number;
  readonly last: number;
  /** SHA-256 of the content, hex. */
  readonly sha256: string;
}

const padded = (number: number): string => String(number).padStart(DIGITS, '0');

/** `FIRST-LAST-SHA256.jsonl`: the first and the last `seq` of the records. */
export function recordsName({ first, last, sha256 }: ObjectName): string {
  return `${padded(first)}-${padded(last)}-${sha256}.jsonl`;
}

/** The beginning of the names of objects that start with this record. */
export function beginning(first: number): string {
  return `${padded(first)}-`;
}

/** Null for a name of another form. */
export function parsedName(name: string): ObjectName | null {
  const [, first, last, sha256 = ''] = /(?:^|\/)(\d{16})-(\d{16})-([0-9a-f]{64})\.jsonl$/.exec(name) ?? [];
  return first === undefined ? null : { first: Number(first), last: Number(last), sha256 };
}

/** `SIZE-SHA256.txt`: how many records the checkpoint covers. The size is the second line of the note (C2SP tlog-checkpoint). */
export function checkpointName(note: string): string {
  const size = /^[^\n]*\n(\d{1,16})\n/.exec(note)?.[1] ?? '0';
  return `${size.padStart(DIGITS, '0')}-${sha256Of(note)}.txt`;
}

export function sha256Of(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
