import type { RecordParts, SessionPlace } from '@svc/contracts';
import { canonicalJson, sha256 } from './canonical.ts';

/** A record before it has a position in the chain. */
export type RecordBody = { readonly record_type: string } & Readonly<Record<string, unknown>>;

/** The fields that the ledger adds when it places the record. */
const PLACE: ReadonlySet<string> = new Set(['hash', 'prev_hash', 'seq', 'session']);

/**
 * Canonicalises a record's fields before the store's exclusive write, so that the write only has to add short fields. RFC 8785 sorts keys by UTF-16
 * code units, which is the order of JavaScript's string comparison.
 * @throws if the record already has one of the added fields, and for the same values as {@link canonicalJson}
 */
export function prepareRecord(body: RecordBody): RecordParts {
  const parts: Record<string, unknown>[] = [{}, {}, {}, {}];
  for (const key in body) {
    if (body[key] === undefined) throw new TypeError('a field of the record is undefined');
    if (PLACE.has(key)) throw new TypeError(`a record must not set ${[...PLACE].join(', ')}: the ledger sets them`);
    const part = key < 'hash' ? parts[0] : key < 'prev_hash' ? parts[1] : key < 'seq' ? parts[2] : parts[3];
    if (part !== undefined) part[key] = body[key];
  }
  const [first = '', second = '', third = '', last = ''] = parts.map((part) => canonicalJson(part).slice(1, -1));
  return [after(first), after(second), after(third), last === '' ? '' : `,${last}`];
}

const after = (members: string): string => (members === '' ? '' : `${members},`);

/** Places a prepared record in the chain and in its session's. Returns its hash and canonical bytes with `seq`, `prev_hash` and `hash`. */
export function placeRecord(
  parts: RecordParts,
  seq: number,
  prev_hash: string,
  session?: SessionPlace,
): { bytes: string; hash: string } {
  const [first, second, third, last] = parts;
  const own = session === undefined ? '' : `,"session":${canonicalJson(session)}`;
  const rest = `${second}"prev_hash":${JSON.stringify(prev_hash)},${third}"seq":${seq}${own}${last}}`;
  const hash = sha256(`{${first}${rest}`);
  return { hash, bytes: `{${first}"hash":"${hash}",${rest}` };
}
