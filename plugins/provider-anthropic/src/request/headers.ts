import type { ChatRequest } from '@svc/sdk';
import type { AnthropicOptions } from './options.ts';

const VERSION = /^\d{4}-\d{2}-\d{2}$/;
const BETA = /^[A-Za-z0-9._-]{1,100}$/;

/**
 * The headers of a call: the version of the API that the request is written for, else the provider's, and the betas of both.
 * `unsupported`: what cannot stand in a header is not sent.
 */
export function headersOf(
  { anthropic_version: version, anthropic_beta: asked }: ChatRequest,
  options: Pick<AnthropicOptions, 'anthropic_version' | 'anthropic_beta'>,
): { headers: Record<string, string>; unsupported: string[] } {
  const isVersion = typeof version === 'string' && VERSION.test(version);
  const names = betaNames(asked);
  const betas = [...new Set([...options.anthropic_beta, ...names.filter((name) => BETA.test(name))])];
  return {
    headers: {
      'anthropic-version': isVersion ? version : options.anthropic_version,
      ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
    },
    unsupported: [
      ...(version == null || isVersion ? [] : ['anthropic_version']),
      ...(names.every((name) => BETA.test(name)) ? [] : ['anthropic_beta']),
    ],
  };
}

/** A list, or names with commas between them, as in the header. */
function betaNames(asked: unknown): string[] {
  if (asked === undefined || asked === null) return [];
  const names: unknown[] = Array.isArray(asked) ? asked : String(asked).split(',');
  return names.map((name) => String(name).trim());
}
