import type { LedgerEntry, RunRow } from '@svc/sdk/store';

/** A run's row, and its text as it is stored. */
export interface Row {
  readonly run: RunRow;
  readonly text: string;
}

/** The rows and records of one commit. */
export interface Group {
  /** Rows of runs that are new and `running`: only the log has them. */
  readonly starts: readonly Row[];
  readonly rows: readonly Row[];
  readonly records: readonly LedgerEntry[];
}

/** The first line, as JSON: the length of each text after it, in UTF-16 code units. */
interface Contents {
  readonly starts: readonly number[];
  readonly rows: readonly number[];
  readonly records: readonly (Omit<LedgerEntry, 'bytes'> & { readonly length: number })[];
}

const lengthOf = ({ text }: Row): number => text.length;

/** The texts that a frame holds one after another. They are not joined, to avoid a copy. */
export function encodeGroup({ starts, rows, records }: Group): string[] {
  const contents: Contents = {
    starts: starts.map(lengthOf),
    rows: rows.map(lengthOf),
    records: records.map(({ seq, hash, record_type, model_id, session, bytes }) => ({
      seq,
      hash,
      record_type,
      model_id,
      ...(session !== undefined && { session }),
      length: bytes.length,
    })),
  };
  const texts = [`${JSON.stringify(contents)}\n`];
  for (const { text } of starts) texts.push(text);
  for (const { text } of rows) texts.push(text);
  for (const { bytes } of records) texts.push(bytes);
  return texts;
}

export function decodeGroup(text: string): Group {
  let at = text.indexOf('\n') + 1;
  const contents: Contents = JSON.parse(text.slice(0, at));
  const take = (length: number): string => {
    at += length;
    return text.slice(at - length, at);
  };
  const row = (length: number): Row => {
    const taken = take(length);
    return { run: JSON.parse(taken), text: taken };
  };
  return {
    starts: contents.starts.map(row),
    rows: contents.rows.map(row),
    records: contents.records.map(({ length, ...entry }) => ({ ...entry, bytes: take(length) })),
  };
}
