import type { LedgerEntry } from '@svc/sdk';
import type { StoredFields } from '@svc/toolkit/store';

/** A run's row, as text and as the fields that are queried. */
export interface Row {
  readonly fields: StoredFields;
  readonly text: string;
}

/** What one commit writes of rows and records. */
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

export function encodeGroup({ starts, rows, records }: Group): string {
  const contents: Contents = {
    starts: starts.map(lengthOf),
    rows: rows.map(lengthOf),
    records: records.map(({ seq, hash, record_type, model_id, bytes }) => ({
      seq,
      hash,
      record_type,
      model_id,
      length: bytes.length,
    })),
  };
  const texts = [...starts, ...rows].map(({ text }) => text).concat(records.map(({ bytes }) => bytes));
  return `${JSON.stringify(contents)}\n${texts.join('')}`;
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
    return { fields: JSON.parse(taken), text: taken };
  };
  return {
    starts: contents.starts.map(row),
    rows: contents.rows.map(row),
    records: contents.records.map(({ length, ...entry }) => ({ ...entry, bytes: take(length) })),
  };
}
