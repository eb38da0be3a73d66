import { type ReadRecord, readRecord } from '@svc/ledger';

/** Records behind one another. */
export interface RecordBatch {
  readonly bytes: Uint8Array;
  /** Where each of them ends. */
  readonly ends: Uint32Array;
}

/** What they say, up to the first that is not what a record must be; as JSON, which goes faster from thread to thread than objects. */
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
