import type { ProviderError } from '@svc/contracts';

/** How a call ended. `fallback`: it may be repeated, because none of its answer was sent. */
export type CallEnd =
  | { readonly kind: 'answered' | 'stopped' }
  | { readonly kind: 'failed'; readonly failure: ProviderError; readonly fallback: boolean };
