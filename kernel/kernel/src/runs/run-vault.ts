import type {
  AnswerBody,
  ContentItem,
  Cost,
  Endpoint,
  EventData,
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
  /** The content of an ended run to keep, and the names of the content to delete. */
  atEnd(run: LiveRun): { readonly put_content: readonly ContentItem[]; readonly drop_content: readonly string[] };
  /** Everything that a paused run needs to continue, in this process or another. */
  atPause(run: LiveRun, point: PausePoint): StoredPause;
  /**
   * The pause that {@link atPause} stored; null if the run is no longer paused.
   * @throws {SvcError} SVC-RUN-003 if the run's protocol is not configured, SVC-RUN-005 if the pause cannot be read
   */
  openPause(row: RunRow): Promise<OpenedPause | null>;
}

export interface PausePoint {
  readonly stage: Stage | 'execute';
  readonly node: string;
  /** Index in the stage of the node that paused the run. -1: a rule of the route, before the first node. */
  readonly index: number;
  readonly code: string;
  /** The endpoint that was to be called, if the run paused before that call. An approval is for this endpoint. */
  readonly endpoint: Endpoint | null;
}

/** A pause that is ready to be written. */
export interface StoredPause {
  /** Its `digest` identifies what is decided: `sha256:` and hex over a salt, the request and the answer. */
  readonly event: EventData<'paused'>;
  /** ISO 8601: when the run is denied if nobody has decided. */
  readonly expires_at: string;
  readonly put_content: readonly ContentItem[];
}

/** A pause as read from the store. */
export interface OpenedPause extends PausePoint {
  readonly digest: string;
  /** ISO 8601. */
  readonly since: string;
  readonly route_digest: string;
  /** Whether the run's request and answer are unchanged since the pause. */
  matches(run: Pick<LiveRun, 'request' | 'completion'>): boolean;
  /** Size of the stored form in bytes. */
  readonly size: number;
  /** Request and answer before the edits of approvers. Absent: there were no edits. */
  readonly original?: Pick<RestoredRun, 'request' | 'completion'> | undefined;
  /** Why it was denied, in the approver's words. */
  readonly reason?: string | undefined;
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

/** The key of a run's content, in plain and in wrapped form. */
export interface RunKey {
  readonly plain: Buffer;
  readonly wrapped: { readonly id: string; readonly encrypted: Uint8Array };
}

/** The part of a run that a later run may continue. A later run repeats the request's messages from the index `from` on. */
export interface Conversation {
  readonly from: number;
}

/** A run that keeps turns of a conversation, as messages or items. */
export interface Link {
  readonly run_id: string;
  /** How many messages, counted from the first, the next run takes from this one. */
  readonly reach: number;
}

/** The part of a request that earlier runs already keep. */
export interface Continued {
  /** The run that the request continues. */
  readonly run_id: string;
  /** Index in the request of the first message that is already kept. */
  readonly at: number;
  /**
   * Where the messages are kept. Each run continues the previous one; `reach` of the last run is the number of messages. Empty: they are not kept
   * unchanged anywhere.
   */
  readonly links: readonly Link[];
}

/** Includes digests that later show whether guards have changed some of the messages. */
export interface History extends Continued {
  readonly pieces: readonly { readonly end: number; readonly digest: string; readonly size: number }[];
}
