import type { UpstreamEnv } from '@svc/kernel/guards';
import type { ConversionEnv } from './outgoing-request.ts';
import type { TokenCounter } from './usage.ts';

/** The dependencies of a model call. */
export interface TransportEnv extends UpstreamEnv, ConversionEnv {
  /** Counts tokens if a provider reports none. Null: they are estimated from the length. */
  readonly count_tokens: TokenCounter | null;
}
