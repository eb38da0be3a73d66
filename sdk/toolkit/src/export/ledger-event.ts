import { type ExportRecord, isObject, type JsonObject } from '@svc/contracts';
import { type RunFacts, runFacts, textOf } from './run-facts.ts';

/** How much attention an event needs. */
export type Level = 'info' | 'notice' | 'warning' | 'error';

interface Run extends RunFacts {
  readonly kind: 'run';
  readonly run_id: string;
  readonly route: string;
  readonly principal_id: string;
  readonly status: string;
  readonly created_at: string | null;
  readonly approver: string | null;
  readonly client: string | null;
  readonly session: string | null;
}
interface Inventory {
  readonly kind: 'inventory';
  readonly route: string;
  readonly model: string;
  readonly developer: string;
  readonly version: string | null;
}
interface Operation {
  readonly kind: 'operation';
  readonly action: string;
  /** Null: someone who controls the process or its files. */
  readonly principal_id: string | null;
  readonly target: { readonly kind: string; readonly name: string };
  readonly reason: string | null;
}

/** A record of either log, parsed for receivers with their own event format. */
export interface LedgerEvent {
  readonly ledger_id: string;
  readonly seq: number;
  readonly hash: string;
  readonly prev_hash: string;
  /** Such as `run.blocked`, `model.inventory` or `key.created`: at most 32 visible ASCII characters. */
  readonly type: string;
  /** One sentence without text of callers or models. */
  readonly message: string;
  readonly level: Level;
  /** When it happened, ISO 8601. Null if the record has no time. */
  readonly at: string | null;
  /** `other`: a record of a newer release. */
  readonly subject: Run | Inventory | Operation | { readonly kind: 'other' };
}

/** Parses a record. It never throws: a receiver gets every record, including those of a newer release. */
export function ledgerEvent(ledger_id: string, { seq, hash, bytes }: ExportRecord): LedgerEvent {
  const parsed: unknown = JSON.parse(bytes);
  const record: JsonObject = isObject(parsed) ? parsed : {};
  const place = { ledger_id, seq, hash, prev_hash: textOf(record.prev_hash) ?? '' };
  switch (record.record_type) {
    case 'run_evidence':
      return { ...place, ...ofRun(record) };
    case 'model_inventory':
      return { ...place, ...ofInventory(record) };
    case 'operation':
      return { ...place, ...ofOperation(record) };
    default: {
      const type = typeName(`record.${textOf(record.record_type) ?? 'unknown'}`);
      return { ...place, type, message: `Record ${seq}.`, level: 'info', at: null, subject: { kind: 'other' } };
    }
  }
}

/** A time of an event in milliseconds since the epoch. Null if the record has no time. */
export function epochMs(at: string | null): number | null {
  const time = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(time) ? null : time;
}

type Content = Omit<LedgerEvent, 'ledger_id' | 'seq' | 'hash' | 'prev_hash'>;

function ofRun(record: JsonObject): Content {
  const status = textOf(record.status) ?? 'unknown';
  const facts = runFacts(Array.isArray(record.events) ? record.events : []);
  const approver = isObject(record.approver) ? record.approver : {};
  const session = isObject(record.session) ? record.session : {};
  const route = textOf(record.model_id) ?? 'unknown';
  return {
    type: typeName(`run.${status}`),
    message: `Run on route ${route}: ${status}${rulingOf(facts)}.`,
    level: levelOf(status, facts),
    at: textOf(record.completed_at),
    subject: {
      ...facts,
      ...{ kind: 'run', status, route },
      run_id: textOf(record.run_id) ?? 'unknown',
      principal_id: textOf(record.principal_id) ?? 'unknown',
      created_at: textOf(record.created_at),
      approver: textOf(approver.principal_id),
      client: textOf(record.client),
      session: textOf(session.id),
    },
  };
}

function rulingOf({ ruling, failure }: RunFacts): string {
  const by = ruling === null ? '' : `, ${ruling.verdict} by guard ${ruling.guard} (${ruling.code})`;
  return failure === null ? by : `${by}, ${failure}`;
}

function levelOf(status: string, { ruling, findings }: RunFacts): Level {
  if (status === 'error') return 'error';
  if (status !== 'completed') return 'warning';
  return ruling === null && findings.size === 0 ? 'info' : 'notice';
}

function ofInventory(record: JsonObject): Content {
  const route = textOf(record.model_id) ?? 'unknown';
  const model = textOf(record.model_name) ?? 'unknown';
  return {
    type: 'model.inventory',
    message: `Route ${route} uses the model ${model}.`,
    level: 'info',
    at: textOf(record.date_of_deployment),
    subject: {
      ...{ kind: 'inventory', route, model },
      developer: textOf(record.model_developer) ?? 'unknown',
      version: textOf(record.model_version),
    },
  };
}

function ofOperation(record: JsonObject): Content {
  const action = textOf(record.action) ?? 'unknown';
  const actor = isObject(record.actor) ? record.actor : {};
  const given = isObject(record.target) ? record.target : {};
  const target = { kind: textOf(given.kind) ?? 'unknown', name: textOf(given.name) ?? 'unknown' };
  return {
    type: typeName(action),
    message: `Operation ${action} on ${target.kind} ${target.name}.`,
    level: 'notice',
    at: textOf(record.at),
    subject: { kind: 'operation', action, principal_id: textOf(actor.principal_id), target, reason: textOf(record.reason) },
  };
}

function typeName(text: string): string {
  return text.replace(/[^a-z_.]/g, '_').slice(0, 32);
}
