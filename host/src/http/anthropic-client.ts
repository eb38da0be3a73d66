import type { FastifyRequest } from 'fastify';

/** Whether a client of Anthropic's API asks: on the paths that are its alone, and by the header that it always sends. */
export function isAnthropicClient({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean {
  return headers['anthropic-version'] !== undefined || /^\/v1\/messages(?:[/?]|$)/.test(url);
}
