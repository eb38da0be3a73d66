import type { ContentItem } from '@svc/sdk/store';
import type { Key } from 'lmdb';
import { LAST } from './last-key.ts';
import type { Databases } from './tables/databases.ts';

/** The expiry is part of the key, so that an item can be deleted without reading its bytes. */
const expiryKey = (run_id: Key, name: Key, at: Key): Key[] => ['expire', at, run_id, name];

/** @param prefix a run, or a run and a name */
function drop({ content, state }: Databases, prefix: Key[]): number {
  const keys = [...content.getKeys({ start: prefix, end: [...prefix, LAST] })];
  for (const key of keys) {
    const [run_id = '', name = '', at = Infinity] = key;
    content.removeSync(key);
    if (at !== Infinity) state.removeSync(expiryKey(run_id, name, at));
  }
  return keys.length;
}

/** Call it inside a write. */
export function dropContent(dbs: Databases, run_id: string, name: string): void {
  drop(dbs, [run_id, name]);
}

/** Call it inside a write. @returns the number of items */
export function dropAllContent(dbs: Databases, run_id: string): number {
  return drop(dbs, [run_id]);
}

/** Call it inside a write. */
export function putContent(dbs: Databases, run_id: string, { name, bytes, expires_at }: ContentItem): void {
  drop(dbs, [run_id, name]);
  dbs.content.putSync([run_id, name, expires_at ?? Infinity], bytes);
  if (expires_at !== null) dbs.state.putSync(expiryKey(run_id, name, expires_at), '');
}

/** Null if there is no such item, or it has expired. */
export function readContent({ content }: Databases, run_id: string, name: string, now: number): Uint8Array | null {
  for (const { key, value } of content.getRange({ start: [run_id, name], end: [run_id, name, LAST], limit: 1 })) {
    const [, , at = Infinity] = key;
    return Number(at) > now ? new Uint8Array(value) : null;
  }
  return null;
}

/** Runs after a given one that have content, in order. Takes one step for each run, because the items of a run are adjacent. */
export function runsWithContent({ content }: Databases, after: string, limit: number): string[] {
  const found: string[] = [];
  while (found.length < limit) {
    const [key] = [...content.getKeys({ start: [found.at(-1) ?? after, LAST], end: [LAST], limit: 1 })];
    if (key === undefined) break;
    found.push(String(key[0]));
  }
  return found;
}

/** Call it inside a write. @returns the number of items */
export function dropExpired(dbs: Databases, now: number, limit: number): number {
  const keys = [...dbs.state.getKeys({ start: ['expire'], end: ['expire', now, LAST], limit })];
  for (const key of keys) {
    const [, at = Infinity, run_id = '', name = ''] = key;
    dbs.state.removeSync(key);
    dbs.content.removeSync([run_id, name, at]);
  }
  return keys.length;
}
