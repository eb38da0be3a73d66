import type { ContentItem, EvidencePointer, RunChange, RunRow } from '@svc/contracts';
import { checkStoreName } from './store-names.ts';

/** A change as passed to `commit`: checked, and copied as far as the caller could still modify it before it is written. */
export interface PreparedChange {
  readonly change: RunChange;
  /** A shallow copy. Nested lists and objects still belong to the caller. */
  readonly run: RunRow;
  readonly content: readonly ContentItem[];
  /** JSON of the row without evidence, which is known only inside the write. */
  readonly json: string;
}

const EVIDENCE_FIRST: Pick<RunRow, 'evidence'> = { evidence: null };
const START = '{"evidence":null';

/** JSON of the row to store. */
export function rowText({ json }: Pick<PreparedChange, 'json'>, evidence: EvidencePointer | null): string {
  return evidence === null ? json : `{"evidence":${JSON.stringify(evidence)}${json.slice(START.length)}`;
}

/** @throws {StoreError} `NAME` */
export function prepareChange(change: RunChange): PreparedChange {
  const run = { ...EVIDENCE_FIRST, ...change.run, evidence: null, ...(change.id !== undefined && { change: change.id }) };
  checkStoreName('run_id', run.run_id);
  checkStoreName('created_at', run.created_at);
  checkStoreName('route', run.route);
  checkStoreName('principal_id', run.principal_id);
  checkStoreName('owner', run.owner);
  if (run.session !== undefined) checkStoreName('session', run.session);
  if (change.unique_key !== undefined) checkStoreName('unique_key', change.unique_key);
  for (const name of change.drop_content) checkStoreName('content name', name);
  for (const { name } of change.put_content) checkStoreName('content name', name);
  for (const { reservation, spend } of change.settlements) {
    checkStoreName('reservation', reservation);
    for (const { key } of spend) checkStoreName('counter', key);
  }
  const content = change.put_content.map((item) => ({ ...item, bytes: new Uint8Array(item.bytes) }));
  return { change, run, content, json: JSON.stringify(run) };
}
