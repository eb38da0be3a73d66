import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The tokens of some answers, by kind of text, as sent by a model with OpenAI's encoding `o200k_base`, one per chunk. */
export function tokenStreams(): ReadonlyMap<string, readonly (readonly string[])[]> {
  const kinds = new Map<string, string[][]>();
  for (const line of readFileSync(join(import.meta.dirname, '..', 'fixtures', 'token-streams.txt'), 'utf8')
    .trim()
    .split('\n')) {
    if (line.startsWith('# ')) kinds.set(line.slice(2), []);
    else [...kinds.values()].at(-1)?.push(line.split('¦').map((token) => token.replaceAll('⏎', '\n')));
  }
  return kinds;
}
