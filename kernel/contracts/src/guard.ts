import type { TokenUsage } from './chat.ts';
import type { CounterSettlement, Counters } from './counters.ts';
import type { JsonObject } from './json.ts';
import type { Endpoint } from './provider.ts';
import type { RagNamespace } from './rag.ts';
import type { EndedStatus } from './run-status.ts';
import type { PluginDeps } from './runtime.ts';
import type { Edit, Segment } from './segment.ts';

export const STAGES = ['ingress', 'egress'] as const;
export type Stage = (typeof STAGES)[number];

/** In order of strictness, mildest first. */
export const VERDICTS = ['allow', 'sanitize', 'require_approval', 'block'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A count of what was found: an entity type or a rule's name, never the value or a pattern. */
export interface Finding {
  readonly entity_type: string;
  readonly count: number;
}

/**
 * What the caller is told beside the code, where the run stops here: sentences of the guard's own, 1 to 300 characters on one line, such as
 * what is left and from when on it is worth asking again. The text goes to the caller alone; no event, log or metric has it. It must hold no
 * text that the guard was given, no pattern and no secret.
 */
export interface Hint {
  readonly text: string;
  /** Milliseconds since the epoch: before then the same request meets the same answer. The verdict's event has it too. */
  readonly retry_at?: number;
}

/**
 * What a guard adds to a request. `text` becomes a message of its own, of the role `user`, directly before the last user message; where the
 * model has spoken since (a tool's result is the last word), it comes after what was said last. So it is always among the new messages, and
 * every later node looks at it like at any other text. Say in it what it is: nothing else tells it from what the caller wrote.
 */
export interface AddedContext {
  readonly text: string;
  /** What it was made of, for the event: ids (`^[A-Za-z0-9._:-]{1,128}$`), never text, and how near each was (-1 to 1). */
  readonly sources: readonly { readonly id: string; readonly score: number }[];
}

/**
 * A guard's opinion. `verdict` is the strictest of what it found; `edits` are applied first whatever the verdict, so that a paused
 * payload is already edited. `allow` has no edits. Edits must lie inside their segment and must not overlap.
 * `code` is a short constant of the guard (`^[A-Za-z0-9._-]{1,64}$`) or the operator's rule name; it is shown to callers and recorded.
 */
export interface GuardResult {
  readonly verdict: Verdict;
  readonly code: string;
  readonly edits: readonly Edit[];
  readonly findings: readonly Finding[];
  readonly hint?: Hint;
  /** In ingress only; added whatever the verdict, unless the node only observes. */
  readonly context?: AddedContext;
}

/** How a guard works for long without holding up everybody else. */
export interface HeavyWork {
  /**
   * Runs the default export of the module at `moduleUrl` (a `file:` URL) on `input` in a thread of the guards' pool; `input` and the result
   * are structured-cloned, and the module is loaded once a thread. The thread is ended when the guard's time is over or its call has ended.
   * Waiting for a free thread and loading the module do not count as the guard's time. Rejects where the work could not be done: let that
   * through. A call of which a task failed counts as failed, whatever the guard answers.
   */
  runInWorker(moduleUrl: string, input: unknown): Promise<unknown>;
}

/** What a guard may know of the run. It knows no HTTP. */
export interface GuardContext extends HeavyWork {
  readonly run_id: string;
  readonly route: string;
  readonly principal_id: string;
  readonly node: string;
  /** `ingress` in `endpoint`, `egress` in `settle`. */
  readonly stage: Stage;
  /** `observe`: the result is recorded, nothing is enforced; hold no reservation. */
  readonly mode: 'enforce' | 'observe';
  /** The node's own state for this run, shared by its stages and kept over pauses. Mutate it; JSON only. */
  readonly state: JsonObject;
  /** Where the run may be sent, in order of preference: the route's provider, then its fallbacks. */
  readonly endpoints: readonly Endpoint[];
  /** How many answers were asked for, and the caller's bound on tokens of each (null: none given; of two that differ the looser). */
  readonly choices: number;
  readonly max_output_tokens: number | null;
  /** Aborted when the guard's time limit passes or the run is given up. */
  readonly signal: AbortSignal;
}

/** A run of text within one field of one choice of a streamed answer. */
export interface StreamChunk {
  readonly choice: number;
  /** Known field names and numbers, such as `content` or `refusal`. Together with `choice` it names a channel. */
  readonly path: string;
  /** Well-formed and not empty. */
  readonly text: string;
}

/**
 * What may leave now, edits applied; what is held back comes with a later step. A release never ends between the halves of a surrogate
 * pair. `stop`: nothing more leaves on any channel, this release included.
 */
export interface StreamStep {
  readonly release: string;
  readonly stop?: { readonly code: string };
}

/**
 * One streamed answer of one run, seen by one node. Calls come one at a time.
 * For any chunking of a text, the concatenated releases must equal what `check` makes of the whole, and no character of a match may
 * be released before it is known to be none.
 */
export interface GuardStream {
  /** More text of a channel. A `post` guard releases all of it and judges in `finish`. */
  push(chunk: StreamChunk): StreamStep | Promise<StreamStep>;
  /** The channel has ended: release what was held. Those of a choice end before those of the next. */
  end(channel: { choice: number; path: string }): StreamStep | Promise<StreamStep>;
  /**
   * Complete parts that do not stream, such as the leaves of tool-call arguments: as {@link Guard.check}. Called at most once, after the
   * channels have ended. Its result is recorded beside that of `finish`, which need not repeat it.
   */
  complete(segments: readonly Segment[]): GuardResult | Promise<GuardResult>;
  /**
   * The answer has ended on every channel, or was cut short, by a `stop` of this stream too, and open channels get no `end`; called once.
   * The verdict over all that was pushed, with no edits: `window` guards sum up, `post` guards judge here. What is refused only now has
   * already left. After a `stop` only its findings count: they are recorded beside the stop's code.
   */
  finish(): GuardResult | Promise<GuardResult>;
}

/**
 * Whether a run's spend is all that it cost. `partial`: an attempt was given up before its answer came, or the process that worked on the
 * run died: there may be more that nobody told.
 */
export type Account = 'whole' | 'partial';

/** Tokens of one upstream attempt, those of discarded attempts included. */
export interface Spend {
  readonly endpoint: Endpoint;
  readonly usage: TokenUsage;
  /** When the attempt had ended, milliseconds since the epoch: a run may end long after it, when it was paused meanwhile. */
  readonly at: number;
}

/**
 * One enabled node. An instance serves many runs at once: keep per-run data in `ctx.state`, nothing else between calls.
 *
 * Authors must not mutate segments, log or put into codes or findings any text they were given, call a model provider of the run,
 * or answer `allow` when they could not look: throw instead, and the operator's `on_error` decides (default: block).
 */
export interface Guard {
  /** Where it can stand in a pipeline; lint refuses other stages. */
  readonly stages: readonly Stage[];
  /** Every verdict that it may give with these options; another one counts as a failure of the guard. `allow` is understood. */
  readonly verdicts: readonly Verdict[];
  /**
   * It looks at numbers too, wherever they stand, each as a segment. An edited one becomes a string. Absent: it is given none, and where no
   * guard of a stage reads them they cost nothing. Quantities of the format (`max_tokens`, `usage`, …) of up to 7 characters are never shown.
   */
  readonly reads_numbers?: true;
  /** Loads what is slow to load (models, lists). Has 60 s; the server does not listen before it resolves. */
  start?(): Promise<void>;
  /** Judges all segments of one stage. Called again for the same run only when its route changed while it was paused. */
  check(segments: readonly Segment[], ctx: GuardContext): GuardResult | Promise<GuardResult>;
  /** Absent: a streamed answer is buffered whole and given to `check`. */
  readonly stream?: GuardStreaming;
  /** Asked before every upstream attempt, fallbacks included. `sanitize` is no answer here; a refused fallback is skipped. */
  endpoint?(ctx: GuardContext, endpoint: Endpoint): EndpointVerdict | Promise<EndpointVerdict>;
  /** For guards that reserve of a counter in `check`. */
  readonly reservations?: GuardReservations;
  /** What it finds in one text, outside any run: for `svc scan`, which people use to try a configuration. Guards without it cannot be tried so. */
  scan?(text: string, ctx: HeavyWork): GuardScan | Promise<GuardScan>;
  /**
   * What is wrong with a route that it stands in, for `svc lint` and the start. Asked before `start`, of every route, and of the pipeline
   * of the RAG index as of a route with ingress alone and no endpoints. Pure: it does no work, waits for nothing, and answers the same again.
   * Where it throws or answers anything else, lint reports an error (SVC-POL-010).
   */
  lint?(route: LintedRoute): readonly GuardDiagnostic[];
  close?(): Promise<void>;
}

/** How a guard sees a streamed answer. A stream is buffered all the same where the guard may pause a run, or its `on_error` is not `block`. */
export interface GuardStreaming {
  /** `window` holds back what may still become a match, `post` judges after the text has left. */
  readonly capability: 'window' | 'post';
  /** Called once for each streamed answer of a run. */
  open(ctx: GuardContext): GuardStream;
}

/** What a guard that reserves does with its reservations after `check`. */
export interface GuardReservations {
  /**
   * Revalidates reservations after a pause: they may have lapsed. Asked, in ingress alone, when an approved run goes on after this node and a
   * model will be called. It answers `allow` or `block`, without edits; a failure lets the run pass where `on_error` is `allow` and blocks it
   * otherwise.
   */
  revalidate(segments: readonly Segment[], ctx: GuardContext): GuardResult | Promise<GuardResult>;
  /**
   * What to book when the run ends, however it ends; `spend` has every attempt whose cost is known, `account` tells whether there may be
   * more. It is booked exactly once, in the commit that ends the run; where that commit loses (a decision and an expiry at once) or must be
   * repeated, this is called again and only one is booked. After a crash `ctx.state` may be empty. Must not throw: the run ends all the same,
   * and the failure is recorded. Several settlements are for a run that reserved more than once.
   */
  settle(ctx: GuardContext, spend: readonly Spend[], outcome: EndedStatus, account: Account): Settled | Promise<Settled>;
}

/** What lint tells a guard of a route. */
export interface LintedRoute {
  /** The stages in which the guard stands. */
  readonly stages: readonly Stage[];
  /** Every endpoint that the route may call: the provider's, then its fallbacks'. */
  readonly endpoints: readonly Endpoint[];
  /** Where a guard of the route sends the question to find documents by; null: it does not leave the gateway. */
  readonly embedder: { readonly region: string | null } | null;
}

/**
 * A fault that a guard finds in a route. `message` is one line that names the option and the remedy, at most 300 characters; `endpoint` is an
 * index of {@link LintedRoute.endpoints}.
 * SVC-POL-003: it has to stand in both stages; an error in any mode.
 * SVC-POL-005: its `endpoint` hook refuses this endpoint. A warning where it enforces, also where the route's own `residency` would make it
 * an error: the guard decides at run time. Of the embedder it is an error, as no guard is asked then. Nothing where it only observes.
 * SVC-POL-010: it cannot do its work for this endpoint. An error where it enforces, a warning where it only observes.
 */
export type GuardDiagnostic =
  | { readonly code: 'SVC-POL-003'; readonly message: string }
  | { readonly code: 'SVC-POL-005'; readonly endpoint: number | 'embedder'; readonly message: string }
  | { readonly code: 'SVC-POL-010'; readonly endpoint: number; readonly message: string };

/** What a guard finds in a text and makes of it. Offsets are UTF-16 code units; `score` is from 0 to 1. */
export interface GuardScan {
  readonly findings: readonly {
    readonly entity_type: string;
    readonly start: number;
    readonly end: number;
    readonly score: number;
  }[];
  readonly sanitized: string;
}

/** What a guard wants booked of a run: null for nothing. */
export type Settled = CounterSettlement | readonly CounterSettlement[] | null;

export interface EndpointVerdict {
  readonly verdict: 'allow' | 'block' | 'require_approval';
  readonly code: string;
  readonly hint?: Hint;
}

export interface GuardDeps extends PluginDeps {
  readonly counters: Counters;
  /**
   * Opens a RAG namespace to find documents in. Only within `create`: so lint asks for a section `rag`, and the inventory names the namespace
   * among the route's data sources. It throws later. Nothing can be retrieved before a run.
   */
  openNamespace(namespace: string): RagNamespace;
}
