import { createHash } from 'node:crypto';
import type { ExportRecord } from '@svc/sdk';

/** A request to send. The same content always has the same `id`. */
export interface Message {
  readonly id: string;
  readonly body: string;
}

/** A request with one record, byte for byte as stored. */
export function recordMessage(ledgerId: string, { hash, bytes }: ExportRecord): Message {
  return { id: hash, body: bodyOf('record', ledgerId, bytes) };
}

/** A request with several records. Its id is the hash of the last one. */
export function recordsMessage(ledgerId: string, records: readonly ExportRecord[]): Message {
  const data = `[${records.map(({ bytes }) => bytes).join(',')}]`;
  return { id: records.at(-1)?.hash ?? '', body: bodyOf('records', ledgerId, data) };
}

export function checkpointMessage(ledgerId: string, note: string): Message {
  const id = `sha256:${createHash('sha256').update(note).digest('hex')}`;
  return { id, body: bodyOf('checkpoint', ledgerId, JSON.stringify({ note })) };
}

function bodyOf(type: string, ledgerId: string, data: string): string {
  return `{"type":"${type}","ledger_id":${JSON.stringify(ledgerId)},"data":${data}}`;
}
