import type { ExportRecord, JsonObject } from '@svc/contracts';

export const LEDGER = 'svc-ledger-00000000-0000-4000-8000-000000000000';

/** A record of the ledger at a position. */
export function recordOf(fields: JsonObject, seq = 42): ExportRecord {
  const hash = `sha256:${String(seq).padStart(64, '0')}`;
  return { seq, hash, bytes: JSON.stringify({ hash, prev_hash: 'genesis', seq, ...fields }) };
}

const event = (event_type: string, node: string, data: JsonObject): JsonObject => ({ event_type, stage: 'ingress', node, data });

export const verdict = (node: string, verdict: string, code: string, findings: JsonObject[] = []): JsonObject =>
  event('verdict', node, { verdict, code, findings });

export const call = (provider: string, model: string, input_tokens: number, output_tokens: number): JsonObject =>
  event('provider_call', provider, {
    ...{ provider, model, region: 'eu', attempt: 1, outcome: 'answered' },
    usage: { input_tokens, output_tokens, cached_input_tokens: 0, estimated: false },
  });

/** The evidence of a run. */
export function runRecord(fields: JsonObject = {}, seq?: number): ExportRecord {
  const times = { created_at: '2026-01-05T09:00:00.100Z', completed_at: '2026-01-05T09:00:00.900Z' };
  const run = { run_id: '019b8d6a-0000-7000-8000-000000000001', model_id: 'default', model_version: null, principal_id: 'alice' };
  return recordOf(
    { record_type: 'run_evidence', status: 'completed', approver: null, events: [], ...run, ...times, ...fields },
    seq,
  );
}

export function inventoryRecord(fields: JsonObject = {}): ExportRecord {
  const times = { date_of_deployment: '2026-01-05T08:00:00.000Z' };
  const model = { model_id: 'default', model_name: 'm-1', model_developer: 'Example', model_version: '3' };
  return recordOf({ record_type: 'model_inventory', ...model, ...times, ...fields });
}

export function operationRecord(action: string, fields: JsonObject = {}): ExportRecord {
  const actor = { principal_id: 'root', issuer: null, subject: null };
  const target = { kind: 'key', name: 'key-1' };
  return recordOf({ record_type: 'operation', at: '2026-01-05T07:00:00.000Z', action, actor, target, reason: null, ...fields });
}
