import type { ContentItem, EvidencePointer, RunChange, RunRow } from '@svc/sdk/plugin';
import { checkKeyPart } from './key-part.ts';
import type { IndexedFields } from './run-index.ts';

/** A change as it was when `commit` was called: checked, and copied where the caller could still alter it before it is written. */
export interface PreparedChange {
  readonly change: RunChange;
  readonly fields: IndexedFields & Pick<RunRow, 'version'>;
  readonly content: readonly ContentItem[];
  /** JSON of the row without its end: `evidence`, known only inside the write, comes last. */
  readonly json: string;
  /** About how much it writes, with its ledger record. */
  readonly bytes: number;
}

export function rowText({ json }: PreparedChange, evidence: EvidencePointer | null): string {
  return `${json},"evidence":${JSON.stringify(evidence)}}`;
}

/** @throws {StoreError} `KEY` */
export function prepareChange(change: RunChange): PreparedChange {
  const { evidence: _, ...row } = change.run;
  const { run_id, created_at, status, route, principal_id, owner, version } = row;
  for (const [field, text] of Object.entries({ run_id, created_at, route, principal_id, owner })) checkKeyPart(field, text);
  if (change.unique_key !== undefined) checkKeyPart('unique_key', change.unique_key);
  for (const name of [...change.drop_content, ...change.put_content.map((item) => item.name)]) checkKeyPart('content name', name);
  for (const { reservation, spend } of change.settlements) {
    checkKeyPart('reservation', reservation);
    for (const { key } of spend) checkKeyPart('counter', key);
  }
  const content = change.put_content.map((item) => ({ ...item, bytes: new Uint8Array(item.bytes) }));
  const json = JSON.stringify(row).slice(0, -1);
  return {
    change,
    fields: { run_id, created_at, status, route, principal_id, owner, version },
    content,
    json,
    bytes: json.length * 2 + content.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}
