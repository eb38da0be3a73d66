import type { Cost } from './guard.ts';
import type { OnBehalfOf } from './on-behalf-of.ts';
import type { RunEvent } from './run-event.ts';
import type { RunStatus } from './run-status.ts';

/** The last decision on a run, as recorded in its evidence. `at` is an ISO 8601 timestamp. */
export interface Approver {
  principal_id: string;
  decision: 'approved' | 'denied';
  at: string;
  /** The OpenID Connect issuer that verified the person. Absent if a key was used. */
  issuer?: string;
  subject?: string;
  /** The approver on whose behalf the principal decided; absent: none. */
  on_behalf_of?: OnBehalfOf;
}

/** Points from an ended run to its ledger record. */
export interface EvidencePointer {
  seq: number;
  /** `sha256:` and 64 hex characters. */
  hash: string;
}

/** The usage of all attempts of a run. */
interface RunUsage {
  input_tokens: number;
  output_tokens: number;
  /** Micro-dollars; null: at least one model has no price. */
  micro_usd: number | null;
  /** `partial`: the real usage may be higher. */
  cost: Cost;
  /** Model of the last attempt. Absent if the usage of that attempt is unknown, and in rows of earlier releases. */
  model?: string;
  /** When the last attempt ended, in milliseconds since the epoch. Absent in the same cases as `model`. */
  at?: number;
}

/** A stored run. When it has ended, its events are in the evidence record; `events` then has only later ones, such as an erasure. */
export interface RunRow {
  /** UUIDv7. */
  run_id: string;
  route: string;
  principal_id: string;
  /** The OpenID Connect issuer that verified the person. Absent if a key was used, and in rows of earlier releases. */
  issuer?: string;
  subject?: string;
  status: RunStatus;
  /** Principals that may decide. Empty: anyone with a key. */
  approvers: string[];
  events: RunEvent[];
  /** `sha256:` and 64 hex characters: the digest of the configuration file's bytes when the run was created. */
  config_digest: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When the approval of a paused run times out, ISO 8601. Null if the run is not paused. */
  expires_at: string | null;
  approver: Approver | null;
  /** Instance id of the gateway process that last worked on the run. */
  owner: string;
  /** 1 for the first stored row, incremented with every commit. */
  version: number;
  /** Set by the store in the commit that wrote the evidence of this run. */
  evidence: EvidencePointer | null;
  /** Keyed digest of the request that the run's Idempotency-Key belongs to. Absent without such a key, and for runs of earlier releases. */
  request_digest?: string;
  /**
   * Keyed digests of the run's pauses, in order. Two runs with the same last digest wait for the same decision. Absent if no guard paused the run, or
   * its content was erased.
   */
  pause_keys?: readonly string[];
  /** Team whose budgets the run counts towards, in addition to the principal's. Absent: none. */
  team?: string;
  /** Id of the caller's key, if it was created at run time. */
  key_id?: string;
  /** The principal's session that the run belongs to: 1 to 128 visible ASCII characters. Absent: none. */
  session?: string;
  /** Name of the client program. Absent: unknown. */
  client?: string;
  /** Keyed digest of the user that the client named. Absent: none. */
  user?: string;
  /** Set when the run ends. Absent: no model was called. */
  usage?: RunUsage;
  /** `id` of the change that wrote the row. Absent in rows of earlier releases. */
  change?: string;
}
