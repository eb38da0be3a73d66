import type { ChatRequest, Provider } from '@svc/contracts';

export interface ProviderConformanceOptions {
  /** Creates a new instance for an upstream that answers every request. The suite closes it. */
  create: () => Provider | Promise<Provider>;
  /** Upstream model of the requests. */
  model: string;
  /**
   * Creates a new instance for an upstream that accepts a call and never answers. `reached` resolves when the upstream has received the call. Omit
   * this only for a provider without an upstream.
   */
  stalled?: () => Promise<{ provider: Provider; reached: Promise<unknown> }>;
  /** Creates a new instance for an upstream that answers embeddings. Omit this only for a provider without `embed`. */
  embedding?: () => Provider | Promise<Provider>;
}

/** Runs `check` with a new provider, then closes the provider. Closing must resolve promptly. */
export type WithProvider = (check: (provider: Provider, request: ChatRequest) => Promise<void>) => () => Promise<void>;
