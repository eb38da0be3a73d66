import type { Upstream } from '@svc/sdk/testing';
import type { Options } from './options.ts';

export function options({ url }: Pick<Upstream, 'url'>, more: Partial<Options> = {}): Options {
  return {
    base_url: url,
    languages: ['en'],
    threshold: 0.5,
    max_characters: 2_000,
    connections: 8,
    max_response_bytes: 1_000_000,
    ...more,
  };
}
