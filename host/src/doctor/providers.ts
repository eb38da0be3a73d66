import type { ProviderConfig } from '../config/load-provider.ts';
import { callProvider } from '../provider-test/call-provider.ts';
import { ADVICE } from '../provider-test/cause.ts';
import { type ClockReading, readingOf } from './clock.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const DATE_MS = 5_000;
/** Causes that pass without a change of the configuration. */
const PASSING: ReadonlySet<string> = new Set(['rate_limit', 'overloaded']);

/** Calls a provider once with a short question, so that its key and model are known to work. */
export async function checkProvider({ provider, protocols, models }: ProviderConfig): Promise<Finding> {
  const { name, type } = provider;
  const [model] = models;
  if (model === undefined)
    return warning(
      'providers',
      `${name} (${type}) was not called: no route uses one of its models`,
      `remove it, or test it with svc provider test ${name} --model M`,
    );
  const called = await callProvider(provider, model, protocols, 'whole');
  if (called.ok) return ok('providers', `${name} (${type}) answered ${model} in ${called.duration_ms} ms`);
  const { cause, status, reason } = called;
  const [happened, remedy] = ADVICE[cause];
  const codes = [status === null ? [] : [`status ${status}`], reason === null ? [] : [reason]].flat().join(', ');
  const message = `${name} (${type}), model ${model}: ${happened}${codes === '' ? '' : ` (${codes})`}`;
  return (PASSING.has(cause) ? warning : problem)('providers', message, remedy);
}

/** The clock of a provider's server, read without a key. Null if it has no `base_url`, or does not answer. */
export async function providerClock({ provider }: ProviderConfig, send: typeof fetch): Promise<ClockReading | null> {
  const { base_url } = provider.rawOptions;
  const url = typeof base_url === 'string' ? URL.parse(base_url) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const asked_at = Date.now();
  try {
    const response = await send(url.origin, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(DATE_MS) });
    return readingOf(url.host, response.headers.get('date'), asked_at, Date.now());
  } catch {
    return null;
  }
}
