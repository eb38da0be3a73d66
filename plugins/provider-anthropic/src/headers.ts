import type { AnthropicOptions } from './options.ts';

const BETA = /^[A-Za-z0-9._-]{1,100}$/;

/**
 * The headers of a call: the API version, and the betas of the provider and the request. A name that is invalid in a header is not sent;
 * `unsupported` then lists `anthropic_beta`.
 */
export function headersOf(
  { anthropic_beta: asked }: Readonly<Record<string, unknown>>,
  { anthropic_version, anthropic_beta }: Pick<AnthropicOptions, 'anthropic_version' | 'anthropic_beta'>,
): { headers: Record<string, string>; unsupported: string[] } {
  const names = betaNames(asked);
  const known = names.filter((name) => BETA.test(name));
  const betas = [...new Set([...anthropic_beta, ...known])];
  return {
    headers: { 'anthropic-version': anthropic_version, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) },
    unsupported: known.length < names.length ? ['anthropic_beta'] : [],
  };
}

/** The names of betas, from a list or separated by commas as in the header. */
function betaNames(asked: unknown): string[] {
  if (asked === undefined || asked === null) return [];
  const names: unknown[] = typeof asked === 'string' ? asked.split(',') : [asked].flat();
  // A value that is not a string becomes an empty name.
  return names.map((name) => (typeof name === 'string' ? name.trim() : ''));
}
