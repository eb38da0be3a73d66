import type { ChatRequest, ProviderError } from '@svc/contracts';
import type { Halt } from './pipeline-run.ts';
import type { RouteEndpoint } from './route.ts';

/** How one upstream attempt went. `fallback`: another provider may be tried, since nothing of this answer has left. */
export type AttemptEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly failure: ProviderError; readonly fallback: boolean }
  | { readonly kind: 'halted'; readonly halt: Halt };

/** Makes one upstream attempt and takes its answer into the run. */
export type Attempt = (endpoint: RouteEndpoint, attempt: number) => Promise<AttemptEnd>;

/** The request as a provider sees it: its own model, and no word of whether the caller gets a stream. */
export function upstreamRequest(request: ChatRequest, model: string): ChatRequest {
  const { stream: _, stream_options: __, ...rest } = request;
  return { ...rest, model };
}
