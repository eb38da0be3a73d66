import type { RunEvent } from './run-event.ts';
import type { RunStatus } from './run-status.ts';

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

/** A run as the store keeps it. Once it has ended, its events are in the evidence record, and `events` has what came after: its erasure. */
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
  /** When a paused run is denied by itself, ISO 8601; null where it is not paused. */
  expires_at: string | null;
  approver: Approver | null;
  /** Instance id of the gateway process that last moved it. */
  owner: string;
  /** 1 for the first stored row, one more with every commit. */
  version: number;
  /** Set by the store when the commit sealed this run's evidence. */
  evidence: EvidencePointer | null;
  /** What its Idempotency-Key is bound to, as a keyed digest; absent where there was no key, or an earlier release made the run. */
  request_digest?: string;
}
