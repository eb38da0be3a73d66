import { type Static, Type } from 'typebox';

export const RUN_STATUSES = ['pending', 'running', 'paused', 'completed', 'blocked', 'denied', 'error'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
/** Final statuses. */
export type EndedStatus = Extract<RunStatus, 'completed' | 'blocked' | 'denied' | 'error'>;

export const EVENT_TYPES = [
  'state',
  'verdict',
  'observed',
  'provider_call',
  'paused',
  'decision',
  'expired',
  'erased',
  'error',
  'interrupted',
  'disconnected',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const EVENT_STAGES = ['ingress', 'execute', 'egress', 'approval'] as const;
export type EventStage = (typeof EVENT_STAGES)[number];

/**
 * One entry of a run's history. `node` is a guard's name, the provider's name in `execute`, the pausing node in `approval`, and empty
 * where no node is concerned. `data` holds codes, names, numbers and digests only, never text of a caller, a pattern or an upstream's message;
 * numbers are integers.
 */
export const RunEvent = Type.Object(
  {
    event_type: Type.String({ description: `One of ${EVENT_TYPES.join(', ')}.` }),
    stage: Type.String({ description: `One of ${EVENT_STAGES.join(', ')}.` }),
    node: Type.String({
      description: "The guard's name, the provider's in `execute`, the pausing node in `approval`, otherwise empty.",
    }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Depends on `event_type`; a `verdict` event carries `verdict`: allow, sanitize, block or require_approval.',
    }),
  },
  { $id: 'RunEvent', description: 'One entry of the history of a run.' },
);
export interface RunEvent extends Static<typeof RunEvent> {
  event_type: EventType;
  stage: EventStage;
}

/** The last decision on a run, as its evidence carries it. `at` is an ISO 8601 timestamp. */
export interface Approver {
  principal_id: string;
  decision: 'approved' | 'denied';
  at: string;
}

/** Points from an ended run to the ledger record that proves it. */
export interface EvidencePointer {
  seq: number;
  /** `sha256:` and 64 hex characters. */
  hash: string;
}

/** A stored run. Once it has ended, its events are in the evidence record, and `events` has only later ones: its erasure. */
export interface RunRow {
  /** UUIDv7. */
  run_id: string;
  route: string;
  principal_id: string;
  status: RunStatus;
  /** Principals that may decide; empty: anyone with a key. */
  approvers: string[];
  events: RunEvent[];
  /** `sha256:` and 64 hex characters of the configuration file's bytes when the run was made. */
  config_digest: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When the approval of a paused run times out, ISO 8601; null if it is not paused. */
  expires_at: string | null;
  approver: Approver | null;
  /** Instance id of the gateway process that last moved it. */
  owner: string;
  /** 1 for the first stored row, one more with every commit. */
  version: number;
  /** Set by the store in the commit that wrote this run's evidence. */
  evidence: EvidencePointer | null;
  /** Keyed digest of the request that its Idempotency-Key is bound to; absent without a key, and for runs of earlier releases. */
  request_digest?: string;
}
