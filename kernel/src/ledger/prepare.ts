import { canonicalJson, sha256 } from './canonical.ts';

/** A record with everything but its place in the chain. */
export type RecordBody = { readonly record_type: string; readonly model_id: string } & Readonly<Record<string, unknown>>;

/** Puts a prepared record at its place: canonical bytes with `seq`, `prev_hash` and `hash`, and that hash. */
export type PlaceRecord = (seq: number, prev_hash: string) => { bytes: string; hash: string };

/**
 * Canonicalises a record's fields ahead of the store's exclusive write, so that inside it only three short fields are added.
 * RFC 8785 sorts keys by UTF-16 code units, which is the order of JavaScript's string comparison.
 */
export function prepareRecord(body: RecordBody): PlaceRecord {
  const fields = Object.entries(body).map(([key, value]) => [key, `${JSON.stringify(key)}:${canonicalJson(value)}`] as const);
  return (seq, prev_hash) => {
    const unhashed = [
      ...fields,
      ['seq', `"seq":${seq}`] as const,
      ['prev_hash', `"prev_hash":${JSON.stringify(prev_hash)}`] as const,
    ];
    const hash = sha256(join(unhashed));
    return { hash, bytes: join([...unhashed, ['hash', `"hash":"${hash}"`]]) };
  };
}

function join(fields: readonly (readonly [string, string])[]): string {
  const sorted = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([, text]) => text).join(',')}}`;
}
