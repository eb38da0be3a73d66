import { canonicalJson, sha256 } from './canonical.ts';

/** A record with everything but its place in the chain. */
export type RecordBody = { readonly record_type: string; readonly model_id: string } & Readonly<Record<string, unknown>>;

/** Puts a prepared record at its place: canonical bytes with `seq`, `prev_hash` and `hash`, and that hash. */
export type PlaceRecord = (seq: number, prev_hash: string) => { bytes: string; hash: string };

/** Added when the record is placed. */
const PLACE = ['hash', 'prev_hash', 'seq'];

/**
 * Canonicalises a record's fields ahead of the store's exclusive write, so that inside it only three short fields are added.
 * RFC 8785 sorts keys by UTF-16 code units, which is the order of JavaScript's string comparison.
 * @throws for a field of those three, and as {@link canonicalJson}
 */
export function prepareRecord(body: RecordBody): PlaceRecord {
  const keys = Object.keys(body).sort();
  if (keys.some((key) => PLACE.includes(key))) throw new TypeError(`a record's ${PLACE.join(', ')} come with its place`);
  /** The fields whose keys lie there, each with a comma before it. */
  const fields = (lies: (key: string) => boolean): string =>
    keys
      .filter(lies)
      .map((key) => `,${canonicalJson(key)}:${canonicalJson(body[key])}`)
      .join('');
  const first = fields((key) => key < 'hash');
  const second = fields((key) => key > 'hash' && key < 'prev_hash');
  const third = fields((key) => key > 'prev_hash' && key < 'seq');
  const last = fields((key) => key > 'seq');
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
