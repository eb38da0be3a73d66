import type { ContentItem, EvidencePointer, RunChange, RunRow } from '@svc/contracts';
import { checkStoreName } from './store-names.ts';

/** The fields of a row by which runs are found and compared. */
export type RowFields = Pick<RunRow, 'run_id' | 'created_at' | 'status' | 'route' | 'principal_id' | 'owner' | 'version'>;

/** A change as it was when `commit` was called: checked, and copied where the caller could still alter it before it is written. */
export interface PreparedChange {
  readonly change: RunChange;
  readonly fields: RowFields;
  readonly content: readonly ContentItem[];
  /** JSON of the row without its end: `evidence`, known only inside the write, comes last. */
  readonly json: string;
  /** About how much it writes, with its ledger record. */
  readonly bytes: number;
}

/** JSON of the row to be stored. */
export function rowText({ json }: Pick<PreparedChange, 'json'>, evidence: EvidencePointer | null): string {
  return `${json},"evidence":${JSON.stringify(evidence)}}`;
}

/** @throws {StoreError} `NAME` */
export function prepareChange(change: RunChange): PreparedChange {
  const { run_id, created_at, status, route, principal_id, owner, version } = change.run;
  checkStoreName('run_id', run_id);
  checkStoreName('created_at', created_at);
  checkStoreName('route', route);
  checkStoreName('principal_id', principal_id);
  checkStoreName('owner', owner);
  if (change.unique_key !== undefined) checkStoreName('unique_key', change.unique_key);
  for (const name of [...change.drop_content, ...change.put_content.map((item) => item.name)])
    checkStoreName('content name', name);
  for (const { reservation, spend } of change.settlements) {
    checkStoreName('reservation', reservation);
    for (const { key } of spend) checkStoreName('counter', key);
  }
  const content = change.put_content.map((item) => ({ ...item, bytes: new Uint8Array(item.bytes) }));
  // A clone without a field would be three times as slow.
  const json = JSON.stringify({ ...change.run, evidence: undefined }).slice(0, -1);
  return {
    change,
    fields: { run_id, created_at, status, route, principal_id, owner, version },
    content,
    json,
    bytes: json.length * 2 + content.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}
