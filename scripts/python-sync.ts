// The synchronous half of the Python client, made from the asynchronous one: two that are written by hand would drift apart.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ASYNC = join(import.meta.dirname, '..', 'sdk', 'python', 'src', 'svc_client', '_async');

/** In this order. */
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

/** The files of `_sync` by their names. */
export function pythonSync(): Map<string, string> {
  const names = readdirSync(ASYNC).filter((name) => name.endsWith('.py') && name !== '__init__.py');
  const files = names.sort().map((name) => [name, syncOf(name, readFileSync(join(ASYNC, name), 'utf8'))] as const);
  return new Map([
    ['__init__.py', '"""The client without asyncio. Made from `_async` by `npm run client-types`."""\n'],
    ...files,
  ]);
}

function syncOf(name: string, text: string): string {
  const replaced = REPLACED.reduce((so_far, [pattern, by]) => so_far.replace(pattern, by), text);
  return `# Generated from _async/${name} by \`npm run client-types\`. Do not make direct changes to the file.\n${replaced}`;
}
