import type { Cost } from './guard.ts';
import type { OnBehalfOf, RunEvent } from './run-event.ts';
import type { RunStatus } from './run-status.ts';

/** The last decision on a run, as recorded in its evidence. `at` is an ISO 8601 timestamp. */
export interface Approver {
  principal_id: string;
  decision: 'approved' | 'denied';
  at: string;
  /** The person verified by an OpenID Connect issuer; absent for a key. */
  issuer?: string;
  subject?: string;
  /** The approver in whose place the principal decided; absent: none. */
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
  /** Model of the last attempt. Absent if its usage is unknown, and in rows of earlier releases. */
  model?: string;
  /** End of the last attempt, milliseconds since the epoch. Absent like `model`. */
  at?: number;
}

/** A stored run. Once it has ended, its events are in the evidence record, and `events` has only events added later, such as an erasure. */
export interface RunRow {
  /** UUIDv7. */
  run_id: string;
  route: string;
  principal_id: string;
  /** The person verified by an OpenID Connect issuer; absent for a key, and in rows of earlier releases. */
  issuer?: string;
  subject?: string;
  status: RunStatus;
  /** Principals that may decide; empty: anyone with a key. */
  approvers: string[];
  events: RunEvent[];
  /** `sha256:` and 64 hex characters over the bytes of the configuration file under which the run was created. */
  config_digest: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When the approval of a paused run times out, ISO 8601; null if it is not paused. */
  expires_at: string | null;
  approver: Approver | null;
  /** Instance id of the gateway process that last worked on the run. */
  owner: string;
  /** 1 for the first stored row, incremented with every commit. */
  version: number;
  /** Set by the store in the commit that wrote the evidence of this run. */
  evidence: EvidencePointer | null;
  /** Keyed digest of the request that the Idempotency-Key belongs to. Absent without a key, and for runs of earlier releases. */
  request_digest?: string;
  /**
   * Keyed digests of its pauses, in order. Two runs with the same last digest wait for the same decision. Absent if no guard paused the run, or its
   * content was erased.
   */
  pause_keys?: readonly string[];
  /** Team whose budgets the run counts towards, in addition to the principal's; absent: none. */
  team?: string;
  /** Id of the caller's key, if it was created at run time. */
  key_id?: string;
  /** Session of the principal that it belongs to: 1 to 128 visible ASCII characters. Absent: none. */
  session?: string;
  /** Name of the client program; absent: unknown. */
  client?: string;
  /** Keyed digest of the user that the client named; absent: none. */
  user?: string;
  /** Set when the run ends; absent: no model was called. */
  usage?: RunUsage;
  /** `id` of the change that wrote the row. Absent in rows of earlier releases. */
  change?: string;
}
