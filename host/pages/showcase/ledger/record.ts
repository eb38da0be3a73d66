import { isObject, type JsonObject } from '@svc/contracts';

/** A ledger record as served, and its own fields. Not verified. */
export interface ShownRecord {
  readonly raw: string;
  readonly seq: number;
  readonly prev_hash: string;
  readonly hash: string;
  readonly content: JsonObject;
}

/** @throws if the text is not a record */
export function shownRecord(raw: string): ShownRecord {
  const content: unknown = JSON.parse(raw);
  const { seq, prev_hash, hash } = isObject(content) ? content : {};
  if (!isObject(content) || typeof seq !== 'number' || typeof prev_hash !== 'string' || typeof hash !== 'string')
    throw new Error('The gateway returned an invalid ledger record.');
  return { raw, seq, prev_hash, hash, content };
}
