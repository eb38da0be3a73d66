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
  const keys = Object.keys(body).sort();
  /** The fields whose keys lie between two of the three that are added, each with a comma before it. */
  const between = (after: string, before: string): string =>
    keys
      .filter((key) => key > after && key < before)
      .map((key) => `,${JSON.stringify(key)}:${canonicalJson(body[key])}`)
      .join('');
  const first = between('', 'hash');
  const second = between('hash', 'prev_hash');
  const third = between('prev_hash', 'seq');
  const last = between('seq', '\u{10ffff}');
  return (seq, prev_hash) => {
    const rest = `${second},"prev_hash":${JSON.stringify(prev_hash)}${third},"seq":${seq}${last}`;
    const hash = sha256(braced(first + rest));
    return { hash, bytes: braced(`${first},"hash":"${hash}"${rest}`) };
  };
}

/** A JSON object of fields that each begin with a comma. */
function braced(fields: string): string {
  return `{${fields.slice(1)}}`;
}
