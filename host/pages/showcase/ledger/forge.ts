import { readRecord, resealed } from './record.ts';

/** A record with one byte changed, and which one. */
export interface Changed {
  readonly raw: string;
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

/** Fields that a forger would change, most valuable first: who asked, which route, how it ended. */
const MEMBERS = ['principal_id', 'model_id', 'status'];

/** Changes the last letter or digit of a significant field. The result is still canonical JSON but states something else. */
export function changeByte(raw: string): Changed {
  for (const member of MEMBERS) {
    const found = new RegExp(`"${member}":"[^"\\\\]*([A-Za-z0-9])"`).exec(raw);
    if (found === null) continue;
    const at = found.index + found[0].length - 2;
    const before = raw.charAt(at);
    const after = neighbour(before);
    return { raw: raw.slice(0, at) + after + raw.slice(at + 1), at, before, after };
  }
  throw new Error('This record has no field to change.');
}

function neighbour(character: string): string {
  const turn = { '9': '8', z: 'y', Z: 'Y' }[character];
  return turn ?? String.fromCharCode(character.charCodeAt(0) + 1);
}

/** Gives the record at `index` the hash that its content has now. */
export async function coverHash(records: readonly string[], index: number): Promise<string[]> {
  const forged = [...records];
  forged[index] = await reseal(records[index], {});
  return forged;
}

/** Relinks every record after `index` to the one before it. */
export async function coverLinks(records: readonly string[], index: number): Promise<string[]> {
  const forged = [...records];
  for (let at = index + 1; at < forged.length; at++) {
    const before = readRecord(forged[at - 1] ?? '');
    if (before === null) throw new Error('not a record');
    forged[at] = await reseal(forged[at], { prev_hash: before.hash });
  }
  return forged;
}

async function reseal(raw: string | undefined, changes: Readonly<Record<string, unknown>>): Promise<string> {
  const record = readRecord(raw ?? '');
  if (record === null) throw new Error('not a record');
  return resealed(record.content, changes);
}
