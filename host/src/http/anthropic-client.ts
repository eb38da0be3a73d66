import type { FastifyRequest } from 'fastify';

/** Whether the client uses Anthropic's API: by its own paths, or by the header that it always sends. */
export function isAnthropicClient({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean {
  return headers['anthropic-version'] !== undefined || /^\/v1\/messages(?:[/?]|$)/.test(url);
}
