import type { AnswerFrame, ProviderError } from '@svc/contracts';
import type { PipelineRun } from './pipeline-run.ts';
import type { RouteEndpoint } from './route.ts';
import type { RunStop } from './run-stop.ts';

/** The outcome of one upstream attempt. `fallback`: another provider may be tried, because nothing of this answer was sent to the caller. */
export type AttemptEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly failure: ProviderError; readonly fallback: boolean }
  | { readonly kind: 'stopped'; readonly stop: RunStop };

export type Attempt = (endpoint: RouteEndpoint) => Promise<AttemptEnd>;

/** Port: calls a model and delivers its answer to the caller, as a whole, as a stream or as vectors. The kernel knows neither bodies nor frames. */
export interface AnswerTransport {
  /** Makes one upstream attempt, records it with a `CallRecord`, and adds its usage to the run. A whole answer is put into `run.completion`. */
  attempt(run: PipelineRun, endpoint: RouteEndpoint): Promise<AttemptEnd>;
  /** Whether the transport itself passes the answer to the egress nodes. If not, the kernel does so after the attempt. */
  readonly judges: boolean;
  /** The last frames. They are sent when the run's evidence is on disk. Null until they exist. */
  readonly tail: readonly AnswerFrame[] | null;
  /** Whether the run may wait for a decision; if not, a pause becomes a block. */
  readonly pauses: boolean;
}
