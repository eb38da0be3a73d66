import type { AnswerFrame, ProviderError } from '@svc/contracts';
import type { PipelineRun } from './pipeline-run.ts';
import type { RouteEndpoint } from './route.ts';
import type { RunStop } from './run-stop.ts';
import type { UpstreamEnv } from './stage.ts';

/** The outcome of one upstream attempt. `fallback`: another provider may be tried, since nothing of this answer was sent to the caller. */
export type AttemptEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly failure: ProviderError; readonly fallback: boolean }
  | { readonly kind: 'stopped'; readonly stop: RunStop };

/** Makes one upstream attempt and stores its answer in the run. */
export type Attempt = (endpoint: RouteEndpoint) => Promise<AttemptEnd>;

/** How an answer is sent that is not stored in the run: as a stream, or as vectors. The core knows neither frames nor vectors. */
export interface ResponseStream {
  /** Makes one upstream attempt; everything that is sent to the caller has passed the egress nodes. */
  attempt(run: PipelineRun, endpoint: RouteEndpoint, env: UpstreamEnv): Promise<AttemptEnd>;
  /** The last frames, which are sent when the run's evidence is on disk; null until they exist. */
  readonly tail: readonly AnswerFrame[] | null;
  /** Whether the run may wait for a decision; if not, a pause becomes a block. */
  readonly pauses: boolean;
}
