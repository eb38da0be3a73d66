import { type ChatCompletionChunk, type ChatRequest, type Endpoint, type ProviderError, SvcError } from '@svc/contracts';
import type { OpaqueHandles } from '../content/opaque-handles.ts';
import { concealed, revealed } from '../segments/index.ts';
import type { PipelineRun } from './pipeline-run.ts';
import { anyEnforces, type RouteEndpoint } from './route.ts';
import type { RunStop } from './run-stop.ts';
import type { UpstreamEnv } from './stage.ts';

/** How one upstream attempt went. `fallback`: another provider may be tried, since nothing of this answer has left. */
export type AttemptEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly failure: ProviderError; readonly fallback: boolean }
  | { readonly kind: 'halted'; readonly halt: RunStop };

/** Makes one upstream attempt and takes its answer into the run. */
export type Attempt = (endpoint: RouteEndpoint, attempt: number) => Promise<AttemptEnd>;

/**
 * How an answer leaves that is not taken into the run: as it comes, of a run whose caller asked for that, or as vectors. The core knows no
 * frames and no vectors.
 */
export interface ResponseStream {
  /** Makes one upstream attempt; what leaves of its answer has passed the egress nodes. */
  attempt(run: PipelineRun, endpoint: RouteEndpoint, attempt: number, env: UpstreamEnv): Promise<AttemptEnd>;
  /** The last frames, to be sent once the run's evidence is on disk; null as long as there are none. */
  readonly tail: readonly ChatCompletionChunk[] | null;
  /** Whether the run may wait for a decision; where not, a pause is a block. */
  readonly pauses: boolean;
}

/**
 * The request as a provider sees it: its own model, no word of whether the caller gets a stream, and what its own handles stand for. Those of
 * another provider or principal go to nobody.
 */
export function upstreamRequest(
  { request, principal_id }: Pick<PipelineRun, 'request' | 'principal_id'>,
  { model, provider }: Endpoint,
  handles: OpaqueHandles,
): ChatRequest {
  const { stream: _, stream_options: __, ...rest } = request;
  const reveal = (handle: string): string | null => handles.open(handle, { principal_id, provider });
  return { ...rest, model, messages: rest.messages.map((message) => revealed(message, reveal)) };
}

/** What leaves in place of what no guard can read, in an answer of this provider. As it is, where no guard enforces anything. */
export function concealing(
  { principal_id, route }: Pick<PipelineRun, 'principal_id' | 'route'>,
  { provider }: Endpoint,
  handles: OpaqueHandles,
): <T extends object>(message: T) => T {
  if (!anyEnforces(route.egress) && route.unscannable === 'pass') return (message) => message;
  return (message) => concealed(message, (fields) => handles.make({ principal_id, provider }, fields));
}

/** How an attempt ends whose answer did not fit. No other provider is tried: its answer would not fit either. */
export function noRoomForAnswer(): AttemptEnd {
  const error = new SvcError('SVC-BUSY-001', 'the answer does not fit into the memory that is free now', {
    retry_after_s: RETRY_AFTER_S,
    paid: true,
  });
  return { kind: 'halted', halt: { kind: 'failed', stage: 'execute', error } };
}

const RETRY_AFTER_S = 1;
