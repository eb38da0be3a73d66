import type { Endpoint, ProviderErrorKind, RunRow, RunStatus, Stage, TokenUsage, TracedRequest, Verdict } from '@svc/contracts';
import type { GuardFailureReport } from './guard-failure.ts';

export type CallOutcome = 'answered' | 'cut' | 'skipped' | ProviderErrorKind;

/** One upstream attempt. Times are in milliseconds; `started_ms` counts from the start of work on the run. */
export interface CallReport {
  /** The name of the operation in OpenTelemetry. */
  readonly operation: 'chat' | 'embeddings';
  readonly provider: string;
  readonly model: string;
  readonly region: string | null;
  readonly attempt: number;
  /** `cut`: the gateway itself ended the call. */
  readonly outcome: CallOutcome;
  readonly streamed: boolean;
  readonly started_ms: number;
  /** Until the last byte was received. For a stream, this includes time in which the reader was slow. */
  readonly duration_ms: number;
  /** The part of `duration_ms` in which the gateway waited for the upstream. */
  readonly upstream_ms: number;
  /** From the start of the call to the first text of a stream. Null for whole answers, and for streams without text. */
  readonly first_token_ms: number | null;
  /** Null if nothing was billed. */
  readonly usage: TokenUsage | null;
  /** Finish reason of the first choice, in OpenAI's terms. Null if there is none. */
  readonly finish_reason: string | null;
  /** What the request asked for, as sent. Null for embeddings, and if nothing was sent. */
  readonly request: TracedRequest | null;
  /** The upstream's own id and model of the answer. Null: not reported, or in a form that could contain text. */
  readonly response: Readonly<Record<'id' | 'model', string | null>>;
}

/** The result of one guard in one stage. Times are as in {@link CallReport}. */
export interface NodeReport {
  readonly node: string;
  readonly stage: Stage | 'execute';
  readonly verdict: Verdict;
  /** Whether the node only observes. */
  readonly observed: boolean;
  readonly started_ms: number;
  readonly duration_ms: number;
}

/** The work on a run until it is settled: from its start, or from a decision after a pause. Holds names, codes and numbers only. */
export interface RunReport {
  readonly run_id: string;
  readonly route: string;
  /** The caller. Not a metric label: there may be any number of principals and sessions. */
  readonly caller: Readonly<Record<'team' | 'key_id' | 'session' | 'client' | 'user', string | null>> & {
    readonly principal_id: string;
  };
  readonly status: RunStatus;
  readonly streamed: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly started_at: number;
  readonly duration_ms: number;
  /** Time in which a slow reader kept the stream waiting. */
  readonly reader_ms: number;
  readonly calls: readonly CallReport[];
  /** What all calls of an ended run cost, in millionths of a dollar. Null if the run has not ended, or a model has no price. */
  readonly micro_usd: number | null;
  readonly nodes: readonly NodeReport[];
  /** W3C trace context that the caller sent, not validated. Null if there was none. */
  readonly traceparent: string | null;
}

/**
 * Why an endpoint is skipped. `failures`: the endpoint is unavailable, times out or answers with an HTML page. The other causes are refusals that
 * only the operator can fix: a rejected `key`, an account without permission (`access`), no `credit`, or an unknown model or address (`not_found`).
 */
export type CircuitCause = 'failures' | 'key' | 'access' | 'credit' | 'not_found';

/** `retrieve`: a search, for a query or for a guard. */
export type RagWork = 'index' | 'retrieve' | 'delete' | 'erase';
/** `refused`: the request was invalid; `failed`: the embedder or the vector store failed or timed out. */
export type RagOutcome = 'done' | 'refused' | 'failed';

/**
 * Reports from the kernel for metrics and traces. Calls are synchronous and must be quick. Exceptions are swallowed, so that observers never change
 * what is enforced. Names come from the configuration only.
 */
export interface Observer {
  /** A run has a new status. The row is on disk. It has no events once the run has ended. */
  status(row: RunRow): void;
  /** Further approvers may decide on a paused run. Reported by the one process that recorded it. The change is on disk. */
  escalated(row: RunRow): void;
  /** A run has ended or paused. The change is on disk. */
  settled(report: RunReport): void;
  /** A guard failed, and its `on_error` applies. Called once per failed call. */
  guardFailed(failure: GuardFailureReport): void;
  /** An endpoint is skipped from now on for this cause, or no longer skipped. */
  circuit(endpoint: Endpoint, cause: CircuitCause, open: boolean): void;
  commit(duration_ms: number, changes: number): void;
  /** An exporter has processed the ledger up to this seq. */
  exported(exporter: string, through: number): void;
  /** A delivery failed and will be retried. `reason`: a code, or the name of an error. */
  exportFailed(exporter: string, reason: string): void;
  /** A witness has cosigned the checkpoint of the ledger of this size. */
  cosigned(witness: string, size: number): void;
  /** A witness did not cosign, and will be asked again. `reason`: a code, or the name of an error. */
  witnessFailed(witness: string, reason: string): void;
  /** There was no valid time stamp, and the authority will be asked again. `reason`: a code, or the name of an error. */
  timestampFailed(reason: string): void;
  /** Documents were indexed, searched or deleted. */
  rag(work: RagWork, outcome: RagOutcome, duration_ms: number): void;
}

export const noopObserver: Observer = safeObserver();

/** Combines several observers. Each may implement only some methods, and may throw. */
export function safeObserver(...observers: readonly Partial<Observer>[]): Observer {
  const report = <E extends keyof Observer>(event: E): Observer[E] => {
    const interested = observers.filter((observer) => observer[event] !== undefined);
    const reportAll = (...args: Parameters<Observer[E]>): void => {
      for (const observer of interested) {
        try {
          Reflect.apply(observer[event] as Observer[E], observer, args);
        } catch {
          // Observers must not affect a run.
        }
      }
    };
    return reportAll as Observer[E];
  };
  return observerOf(report);
}

/** Calls an observer in a later turn of the event loop, in order, so that no answer waits for it. Exceptions are dropped. */
export function laterObserver(observer: Observer): Observer {
  let waiting: [event: keyof Observer, args: unknown[]][] = [];
  const deliver = (): void => {
    const now = waiting;
    waiting = [];
    for (const [event, args] of now) {
      try {
        Reflect.apply(observer[event], observer, args);
      } catch {}
    }
  };
  return observerOf((event) => (...args: unknown[]) => {
    if (waiting.length === 0) setImmediate(deliver);
    waiting.push([event, args]);
  });
}

function observerOf(report: <E extends keyof Observer>(event: E) => Observer[E]): Observer {
  return {
    status: report('status'),
    escalated: report('escalated'),
    settled: report('settled'),
    guardFailed: report('guardFailed'),
    circuit: report('circuit'),
    commit: report('commit'),
    exported: report('exported'),
    exportFailed: report('exportFailed'),
    cosigned: report('cosigned'),
    witnessFailed: report('witnessFailed'),
    timestampFailed: report('timestampFailed'),
    rag: report('rag'),
  };
}
