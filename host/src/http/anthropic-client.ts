import type { FastifyRequest } from 'fastify';

/** Whether the client uses Anthropic's API: it uses that API's own paths, or sends the header that its clients always send. */
export function isAnthropicClient({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean {
  return headers['anthropic-version'] !== undefined || /^\/v1\/messages(?:[/?]|$)/.test(url);
}
