import type { Endpoint } from '@svc/contracts';
import type { PriceBook } from './price-book.ts';

/** Capabilities that all models of a route share, as far as the catalogue knows them. */
export interface ModelCapabilities {
  /** Tokens of the shortest context window. Null: not known for all models. */
  readonly context_length: number | null;
  /** Kinds of input and output, including text. There may be more. Empty: not known. */
  readonly input_modalities: readonly string[];
  readonly output_modalities: readonly string[];
}

/** The capabilities that all of several interchangeable models have. */
export function capabilitiesOf(endpoints: readonly Endpoint[], prices: PriceBook | null): ModelCapabilities {
  const models = endpoints.map((endpoint) => prices?.modelOf(endpoint) ?? null);
  const lengths = models.map((model) => model?.context_length ?? null);
  const known = lengths.filter((length) => length !== null);
  return {
    context_length: known.length === lengths.length && known.length > 0 ? Math.min(...known) : null,
    input_modalities: common(models.map((model) => model?.input ?? [])),
    output_modalities: common(models.map((model) => model?.output ?? [])),
  };
}

function common(all: readonly (readonly string[])[]): string[] {
  const [first = [], ...others] = all;
  const shared = first.filter((kind) => others.every((kinds) => kinds.includes(kind)));
  return shared.length === 0 ? [] : ['text', ...shared];
}
