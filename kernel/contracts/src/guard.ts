import type { TokenUsage } from './chat.ts';
import type { CounterSettlement, Counters } from './counters.ts';
import type { JsonObject } from './json.ts';
import type { Rates } from './price.ts';
import type { Endpoint } from './provider.ts';
import type { RagNamespace } from './rag.ts';
import type { EndedStatus } from './run-status.ts';
import type { PluginDeps } from './runtime.ts';
import type { Edit, Segment, TextOrigin } from './segment.ts';
import type { RunTools, Withheld } from './tools.ts';

export const STAGES = ['ingress', 'egress'] as const;
export type Stage = (typeof STAGES)[number];

/** From the mildest to the strictest. */
export const VERDICTS = ['allow', 'sanitize', 'require_approval', 'block'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The number of findings per entity type or rule name. It never contains a found value or a pattern. */
export interface Finding {
  readonly entity_type: string;
  readonly count: number;
  /** Origins of the texts with these findings. Absent: the guard does not report them. */
  readonly origins?: readonly TextOrigin[];
  /** The highest score of these findings, from 0 to 1. Absent: the guard does not report one. */
  readonly score?: number;
}

/**
 * A message for the caller if the run stops here, such as the remaining budget and when to retry: 1 to 300 characters on one line. Only for `block`
 * and `require_approval`: with other verdicts nobody receives it. Only the caller receives the text; events, logs and metrics do not contain it. It
 * must not contain text that the guard was given, a pattern or a secret.
 */
export interface Hint {
  readonly text: string;
  /** Retries before this time get the same result. In milliseconds since the epoch. Also recorded in the verdict event. */
  readonly retry_at?: number;
}

/**
 * What a guard adds to a request. `text` becomes a separate message with the role `user`, directly before the last user message. If the model has
 * answered that message already, `text` comes after the last message, because a tool result must follow its call. In either case, `text` is among the
 * new messages, and later nodes check it like any other text. The text must say what it is: nothing else distinguishes it from the caller's messages.
 */
export interface AddedContext {
  readonly text: string;
  /** The sources, for the event: their ids (`^[A-Za-z0-9._:-]{1,128}$`), never text, and the similarity of each (-1 to 1). */
  readonly sources: readonly { readonly id: string; readonly score: number }[];
}

/**
 * The result of a check. `verdict` is the strictest that applies. `edits` are applied whatever the verdict, so a paused payload is already edited.
 * `allow` has no edits and withholds nothing. Each edit must lie within its segment, and edits must not overlap. `code` is a short constant of the
 * guard (`^[A-Za-z0-9._-]{1,64}$`) or the operator's rule name; it is shown to callers and recorded.
 */
export interface GuardResult {
  readonly verdict: Verdict;
  readonly code: string;
  readonly edits: readonly Edit[];
  readonly findings: readonly Finding[];
  readonly hint?: Hint;
  /** In ingress only. Added with any verdict, except in observe mode. */
  readonly context?: AddedContext;
  /** In ingress only, and not with `allow`: the offered tools to remove and the results to replace. Applied after the edits. */
  readonly withheld?: readonly Withheld[];
}

export interface HeavyWork {
  /**
   * Runs the default export of the module at `moduleUrl` (a `file:` URL) on `input` in a thread of the guards' pool. `input` and the result are
   * structured-cloned, and the module is loaded once per thread. If the guard times out or its call ends, the thread is terminated. Waiting for a
   * free thread and loading the module do not count towards the timeout.
   *
   * Threads are shared fairly between principals. If the export may take more than about 20 ms, make it a generator function that yields every few
   * milliseconds and returns the result. Where it yields, the thread may work on another request first. The work then continues in the same thread,
   * or starts again if that thread died.
   *
   * Rejects if the work failed. Do not catch this: if a task fails, the call fails, whatever the guard returns.
   */
  runInWorker(moduleUrl: string, input: unknown): Promise<unknown>;
}

/** The information about a run that a guard may use. It gives no access to HTTP. */
export interface GuardContext extends HeavyWork {
  readonly run_id: string;
  readonly route: string;
  readonly principal_id: string;
  /** Team of the principal's key, or null. */
  readonly team: string | null;
  /** Session of the principal, as the client names it: at most 128 visible ASCII characters. Null: none. */
  readonly session: string | null;
  readonly node: string;
  /** `ingress` in the hook `endpoint`, and `egress` in the hook `settle`. */
  readonly stage: Stage;
  /** In `observe`, the result is recorded but not enforced: make no reservations. */
  readonly mode: 'enforce' | 'observe';
  /** The node's state for this run. All stages share it, and it survives pauses. Mutable; JSON only. */
  readonly state: JsonObject;
  /**
   * The tools of the request and of the answer. Each access of `tools` reads them again. Null: the protocol does not describe its tools, so
   * a guard that needs them must throw.
   */
  readonly tools: RunTools | null;
  /** The endpoints that the run may use, in order of preference. */
  readonly endpoints: readonly Endpoint[];
  /** How many answers were requested, and the caller's token limit for each (null: none). If the request has two limits, the larger one counts. */
  readonly choices: number;
  readonly max_output_tokens: number | null;
  /** Aborted when the guard fails or times out, or the run is cancelled. */
  readonly signal: AbortSignal;
}

/** A chunk of text from one field of one choice in a streamed answer. */
export interface StreamChunk {
  readonly choice: number;
  /** Path of the text in the complete answer, such as `choices.0.message.content` or `content.0.text`. It identifies the channel. */
  readonly path: string;
  /** Well-formed and not empty. */
  readonly text: string;
}

/**
 * Text to send now, with edits applied. Text that is still buffered follows in a later step. A release must not split a surrogate pair. With `stop`,
 * nothing more is sent on any channel, not even this release.
 */
export interface StreamStep {
  readonly release: string;
  readonly stop?: { readonly code: string };
}

/**
 * One streamed answer of one run, seen by one node. Calls come one at a time. For any chunking of a text, the concatenated releases must equal the
 * result of `check` on the whole text, and no character may be released while it could still be part of a match.
 */
export interface GuardStream {
  /** More text of a channel. A `post` guard releases all of it and decides in `finish`. */
  push(chunk: StreamChunk): StreamStep | Promise<StreamStep>;
  /** The channel has ended: release buffered text. At the end of the answer, all channels of one choice end before those of the next. */
  end(channel: { choice: number; path: string }): StreamStep | Promise<StreamStep>;
  /**
   * Receives complete parts that are not streamed, such as the values of tool-call arguments, and checks them like {@link Guard.check}. Called once
   * for each part, as soon as the part is complete; other texts may still be open. Its results are recorded in addition to the result of `finish`,
   * which need not repeat them. The recorded code is that of the strictest result; among equally strict ones, that of `finish`.
   */
  complete(segments: readonly Segment[]): GuardResult | Promise<GuardResult>;
  /**
   * Called once, when the answer has ended on every channel or was cut short. If this stream's own `stop` cut the answer short, open channels get no
   * `end`. Returns the verdict on all pushed text, without edits: `window` guards summarise, `post` guards decide here. Text that is refused only
   * here was already sent. After a `stop`, only the findings are used; they are recorded with the code of the stop.
   */
  finish(): GuardResult | Promise<GuardResult>;
}

/**
 * Whether the spend of a run is complete. `partial`: the real cost may be higher, because an attempt was cancelled before its answer or the run's
 * process died.
 */
export type Cost = 'complete' | 'partial';

/** The tokens of one upstream attempt. Discarded attempts count too. */
export interface Spend {
  readonly endpoint: Endpoint;
  readonly usage: TokenUsage;
  /** When the attempt ended, in milliseconds since the epoch. A run that paused afterwards may end much later. */
  readonly at: number;
}

/**
 * One enabled node. An instance serves many runs at once: keep per-run data in `ctx.state`, and keep nothing else between calls.
 *
 * Authors must not mutate segments. They must not log any text that they were given, nor put it into codes or findings. They must not call a model
 * provider of the run. If a check fails, throw instead of returning `allow`: the operator's `on_error` then decides (default: block).
 */
export interface Guard {
  /** The stages that the guard supports. Lint rejects routes that use it in any other stage. */
  readonly stages: readonly Stage[];
  /** Every verdict that the guard may return with these options. Any other verdict is a failure of the guard. `allow` is implied. */
  readonly verdicts: readonly Verdict[];
  /**
   * Whether the guard also receives JSON numbers as segments. An edited number becomes a string. If no guard of a stage reads numbers, they are not
   * collected. Quantities of the API (`max_tokens`, `usage`, …) of up to 7 characters are never included.
   */
  readonly reads_numbers?: true;
  /**
   * Whether the guard reads the tools of the answer in `ctx.tools`. If so, `complete` is also called for streamed calls and listed tools without
   * segments. If not, reading them in a stream throws.
   */
  readonly reads_calls?: true;
  /** Whether `check` sends texts to a service. `svc replay` and `svc policy test` do not run such a guard. */
  readonly calls_service?: true;
  /**
   * What decides besides the package, such as a model and its digest. The inventory lists it among the dependencies of each route with the guard: 1 to
   * 300 characters on one line, without secrets.
   */
  readonly dependencies?: readonly string[];
  /** Loads slow resources such as models or lists. Must finish within 60 s. The server starts to listen only after it resolves. */
  start?(): Promise<void>;
  /**
   * Checks all segments of one stage. The segments are frozen, because other guards see them too. Called again for the same run only if its route
   * changed during a pause.
   */
  check(segments: readonly Segment[], ctx: GuardContext): GuardResult | Promise<GuardResult>;
  /** Absent: a streamed answer is buffered completely and passed to `check`. */
  readonly stream?: GuardStreaming;
  /**
   * Called before every upstream attempt, including those of fallbacks. `sanitize` is not allowed here. A refused endpoint is skipped; if all are
   * refused, the run stops.
   */
  endpoint?(ctx: GuardContext, endpoint: Endpoint): EndpointVerdict | Promise<EndpointVerdict>;
  /** For guards that reserve amounts on counters in `check`. */
  readonly reservations?: GuardReservations;
  /** Returns the findings in a text that belongs to no run. Used by `svc scan` and `svc try`, which test a configuration. */
  scan?(text: string, ctx: HeavyWork): GuardScan | Promise<GuardScan>;
  /**
   * Returns the errors in a route that uses the guard, for `svc lint` and at start. Called before `start`, once for every route. The pipeline of the
   * RAG index is passed as a route with ingress only and without endpoints. Must be pure, synchronous and deterministic. If it throws or returns
   * anything else, lint reports an error (SVC-POL-010).
   */
  lint?(route: LintedRoute): readonly GuardDiagnostic[];
  close?(): Promise<void>;
}

/** How a guard checks a streamed answer. The stream is buffered anyway if the guard may pause a run or its `on_error` is not `block`. */
export interface GuardStreaming {
  /** `window` buffers text that may still become a match. `post` decides after the text was sent. */
  readonly capability: 'window' | 'post';
  /** Called once for each streamed answer of a run. */
  open(ctx: GuardContext): GuardStream;
}

export interface GuardReservations {
  /**
   * Checks reservations again after a pause, because they may have expired. Called in ingress only, when an approved run resumes after this node and
   * a model will be called. Returns `allow` or `block`, without edits. If this fails, the run continues if `on_error` is `allow`, and is blocked
   * otherwise.
   */
  revalidate(segments: readonly Segment[], ctx: GuardContext): GuardResult | Promise<GuardResult>;
  /**
   * What to charge when the run ends, with any status. `spend` has every attempt whose cost is known; `cost` says whether there may be more. Return
   * several settlements if the run reserved more than once. They are applied exactly once, in the commit that ends the run. If that commit is
   * repeated, or loses a race (such as a decision against an expiry), this is called again and only one result is applied. After a crash, `ctx.state`
   * may be empty. Must not throw: the run would end anyway, and the failure is recorded.
   */
  settle(ctx: GuardContext, spend: readonly Spend[], outcome: EndedStatus, cost: Cost): Settled | Promise<Settled>;
  /**
   * The price of a model according to the guard's own options. It overrides the gateway's prices in records and usage reports. Null: the guard has no
   * price for the model. Must be pure and synchronous. Absent: the guard has no prices.
   */
  rates?(endpoint: Endpoint): Rates | null;
}

/** A route as lint passes it to a guard. */
export interface LintedRoute {
  /** Stages that contain the guard. */
  readonly stages: readonly Stage[];
  /** Every endpoint that the route may call. */
  readonly endpoints: readonly Endpoint[];
  /** Endpoint of the embedder that receives the user's question. Null: the question does not leave the gateway. */
  readonly embedder: { readonly region: string | null } | null;
}

/**
 * An error that a guard finds in a route. `message` is one line of at most 300 characters that names the option and the remedy; `endpoint` is an
 * index of {@link LintedRoute.endpoints}.
 *
 * SVC-POL-003: the guard must be in both stages. Always an error.
 *
 * SVC-POL-005: the guard's `endpoint` hook rejects this endpoint. A warning if the guard enforces, because it decides for each run; not reported if
 * the guard only observes. An error for an embedder, because guards do not check an embedder's calls.
 *
 * SVC-POL-010: the guard cannot work for this endpoint. An error if the guard enforces, a warning if it only observes.
 */
export type GuardDiagnostic =
  | { readonly code: 'SVC-POL-003'; readonly message: string }
  | { readonly code: 'SVC-POL-005'; readonly endpoint: number | 'embedder'; readonly message: string }
  | { readonly code: 'SVC-POL-010'; readonly endpoint: number; readonly message: string };

/** Findings of a guard in a text, and the sanitized text. Offsets are UTF-16 code units; `score` is from 0 to 1. */
export interface GuardScan {
  readonly findings: readonly {
    readonly entity_type: string;
    readonly start: number;
    readonly end: number;
    readonly score: number;
  }[];
  readonly sanitized: string;
}

/** What a guard charges for a run. Null: nothing. */
export type Settled = CounterSettlement | readonly CounterSettlement[] | null;

export interface EndpointVerdict {
  readonly verdict: 'allow' | 'block' | 'require_approval';
  readonly code: string;
  readonly hint?: Hint;
}

export interface GuardDeps extends PluginDeps {
  readonly counters: Counters;
  /**
   * Opens a RAG namespace for retrieval. Call this only in `create`; later it throws. Because of this call, lint can require a section `rag`, and the
   * inventory lists the namespace among the route's data sources. Retrieval is possible only during a run.
   */
  openNamespace(namespace: string): RagNamespace;
}
