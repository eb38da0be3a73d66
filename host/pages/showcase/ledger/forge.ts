import type { JsonObject } from '@svc/contracts';
import { placeRecord, prepareRecord } from '@svc/ledger/chain';
import { shownRecord } from './record.ts';

/** A record with one byte changed, and the change. */
export interface Changed {
  readonly raw: string;
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

/** Fields that a forger would change, most valuable first: principal, route, outcome. */
const MEMBERS = ['principal_id', 'model_id', 'status'];

/** Changes the last letter or digit of a significant field. The result is still canonical JSON with a different meaning. */
export function changeByte(raw: string): Changed {
  for (const member of MEMBERS) {
    const found = new RegExp(`"${member}":"[^"\\\\]*([A-Za-z0-9])"`).exec(raw);
    if (found === null) continue;
    const at = found.index + found[0].length - 2;
    const before = raw.charAt(at);
    const after = neighbour(before);
    return { raw: raw.slice(0, at) + after + raw.slice(at + 1), at, before, after };
  }
  throw new Error('This record has no field that can be changed.');
}

function neighbour(character: string): string {
  const turn = { '9': '8', z: 'y', Z: 'Y' }[character];
  return turn ?? String.fromCharCode(character.charCodeAt(0) + 1);
}

/** Recomputes the hash of the record at `index`. */
export function coverHash(records: readonly string[], index: number): string[] {
  return records.map((raw, at) => (at === index ? resealed(raw) : raw));
}

/** Relinks every record after `index` to its predecessor. */
export function coverLinks(records: readonly string[], index: number): string[] {
  const forged = records.slice(0, index + 1);
  for (const raw of records.slice(index + 1)) forged.push(resealed(raw, shownRecord(forged.at(-1) ?? '').hash));
  return forged;
}

/** A record with the correct hash for its content, and with a new predecessor if one is given. */
function resealed(raw: string, prev_hash?: string): string {
  const { seq, prev_hash: before, content } = shownRecord(raw);
  const { seq: _, prev_hash: __, hash: ___, ...body } = content;
  return placeRecord(prepareRecord(body as JsonObject & { record_type: string }), seq, prev_hash ?? before).bytes;
}
