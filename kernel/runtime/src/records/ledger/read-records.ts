import { type ReadRecord, readRecord } from '@svc/ledger';

/** The bytes of all records. */
export interface RecordBatch {
  readonly bytes: Uint8Array;
  /** End offset of each record. */
  readonly ends: Uint32Array;
}

/** The parsed records, up to the first invalid one. They are returned as JSON, which passes between threads faster than objects. */
export default function readRecords({ bytes, ends }: RecordBatch): string {
  const records: ReadRecord[] = [];
  let begin = 0;
  for (const end of ends) {
    const read = readRecord(bytes.subarray(begin, end));
    if (typeof read === 'string') break;
    records.push(read);
    begin = end;
  }
  return JSON.stringify(records);
}
