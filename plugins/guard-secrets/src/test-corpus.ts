import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { disorder } from './samples.ts';

/** A text and the secret in it, for tests. */
export interface Labelled {
  readonly kind: string;
  readonly text: string;
  readonly secret: string;
}

const FOLDER = join(import.meta.dirname, '..', 'corpus');

/** The texts with a secret. */
export function labelled(): Labelled[] {
  return linesOf('secrets').map(({ kind = '', text }, line) => {
    const [before = '', marked = '', after = ''] = text.split(/[«»]/);
    const secret = generated(marked, line + 1);
    return { kind, text: before + secret + after, secret };
  });
}

/** The texts without one. */
export function clean(): string[] {
  return linesOf('clean').map(({ text }) => text);
}

function linesOf(name: string): { readonly kind?: string; readonly text: string }[] {
  return readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Writes `[0-9a-f]{8}` as eight characters of this class. */
function generated(template: string, seed: number): string {
  return template.replace(/\[([^\]]{1,40})\]\{(\d{1,3})\}/g, (_, characters: string, length: string, at: number) =>
    disorder(Number(length), membersOf(characters), seed + at),
  );
}

/** The characters of a class such as `A-Z_`. */
function membersOf(written: string): string {
  const ranges = written.match(/.-.|./g) ?? [];
  return ranges.map((range) => (range.length === 1 ? range : between(range.charCodeAt(0), range.charCodeAt(2)))).join('');
}

function between(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at)).join('');
}
