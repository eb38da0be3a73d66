import type {
  AnswerBody,
  ContentItem,
  Cost,
  Endpoint,
  JsonObject,
  Protocol,
  RequestBody,
  RunRow,
  Spend,
  Stage,
} from '@svc/contracts';
import type { LiveRun } from './live-run.ts';

/** Port: the content of runs, which the store holds only encrypted. */
export interface RunVault {
  /** What an ended run keeps, and which content it no longer needs. */
  atEnd(run: LiveRun): { readonly put_content: readonly ContentItem[]; readonly drop_content: readonly string[] };
  /** Everything that a paused run needs to continue, in this process or another. */
  atPause(run: LiveRun, point: PausePoint): StoredPause;
  /**
   * What {@link atPause} stored; null if the run is no longer paused.
   * @throws {SvcError} SVC-RUN-003 if its protocol is not configured, SVC-RUN-005 if it cannot be read
   */
  openPause(row: RunRow): Promise<OpenedPause | null>;
}

/** Where a run pauses. */
export interface PausePoint {
  readonly stage: Stage | 'execute';
  readonly node: string;
  /** Index of the pausing node in its stage; -1: the route's own rule, before the first node. */
  readonly index: number;
  readonly code: string;
  /** The endpoint that was to be called, if the run paused before that call. An approval is for this endpoint. */
  readonly endpoint: Endpoint | null;
}

/** A pause before it is on disk. */
export interface StoredPause {
  /** What a decision is bound to: `sha256:` and hex over a salt, the request and the answer. */
  readonly digest: string;
  /** ISO 8601: when the run is denied if nobody decides. */
  readonly expires_at: string;
  readonly put_content: readonly ContentItem[];
}

/** A stored pause. */
export interface OpenedPause extends PausePoint {
  readonly digest: string;
  /** ISO 8601. */
  readonly since: string;
  readonly route_digest: string;
  /** Whether the run's request and answer are still what was paused. */
  matches(run: Pick<LiveRun, 'request' | 'completion'>): boolean;
  /** Bytes of the stored form. */
  readonly size: number;
  /** What the run continues with. */
  readonly run: RestoredRun;
}

/** The parts of a run that its store row does not have. */
export interface RestoredRun {
  readonly protocol: Protocol;
  readonly request: RequestBody;
  readonly completion?: AnswerBody | null;
  readonly states?: Map<string, JsonObject>;
  readonly spend?: Spend[];
  readonly cost?: Cost;
  readonly contentKey?: RunKey | null;
  readonly keepAnswer?: boolean;
  readonly keepRequest?: boolean;
  readonly conversation?: Conversation | null;
  readonly history?: History | null;
  readonly affinity?: string | null;
}

/** The key of a run's content, plain and as it is stored. */
export interface RunKey {
  readonly plain: Buffer;
  readonly wrapped: { readonly id: string; readonly encrypted: Uint8Array };
}

/** The part of a run that a later run may continue. `from`: index of the first request message that is then repeated. */
export interface Conversation {
  readonly from: number;
}

/** A run that keeps turns of a conversation: messages, or items. */
export interface Link {
  readonly run_id: string;
  /** Number of messages, from the first, with which this run is continued. */
  readonly reach: number;
}

/** The part of a request that earlier runs keep. */
export interface Continued {
  /** The run that the request continues. */
  readonly run_id: string;
  /** Index of the first of these messages in the request. */
  readonly at: number;
  /** Where they are kept: each run continues the previous one. The last one's `reach` is their number. Empty: nowhere in unchanged form. */
  readonly links: readonly Link[];
}

/** The same, with digests that later show whether guards have changed some. */
export interface History extends Continued {
  readonly pieces: readonly { readonly end: number; readonly digest: string; readonly size: number }[];
}
