// Generates the synchronous half of the Python client from the asynchronous one, so that they cannot differ.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HEADER = '# Generated from `_async` by `npm run setup`. Do not edit.\n';

/** Applied in this order. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/\basync (def|for|with)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\basyncio\b/g, 'time'],
  [/^(import time\n)\1/m, '$1'],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\b__a(iter|next|enter|exit)__\b/g, '__$1__'],
  [/\ba(close|read|iter_bytes)\b/g, '$1'],
  [/\bhttpx\.AsyncClient\b/g, 'httpx.Client'],
];

/** The files of `_sync`. @param folder of the asynchronous half */
export function pythonSync(folder: string): { readonly name: string; readonly contents: string }[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.py'));
  return names.map((name) => ({ name, contents: HEADER + synchronous(readFileSync(join(folder, name), 'utf8')) }));
}

function synchronous(text: string): string {
  return REPLACED.reduce((so_far, [pattern, by]) => so_far.replace(pattern, by), text);
}
