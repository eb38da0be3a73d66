import { Network } from '@svc/toolkit/upstream';
import type { OidcIssuer } from '../config/index.ts';
import { discoverIssuer, fetchKeys, privateFetch } from '../oidc/discovery.ts';
import { reasonOf } from '../oidc/issuer.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { type ClockReading, readingOf } from './clock.ts';
import { type Finding, ok, problem } from './finding.ts';

/** Fetches metadata and keys of an issuer, as the gateway does. Also reads the issuer's clock. */
export async function checkIssuer(
  settings: OidcIssuer,
  directory: string,
): Promise<{ finding: Finding; clocks: readonly ClockReading[] }> {
  const { issuer } = settings;
  const clocks: ClockReading[] = [];
  const fetch = privateFetch(new Network(settings.network, { directory, logger: silentLogger }));
  const watched: typeof fetch = async (url, options) => {
    const asked_at = Date.now();
    const response = await fetch(url, options);
    const reading = readingOf(new URL(url).host, response.headers.get('date'), asked_at, Date.now());
    if (reading !== null) clocks.push(reading);
    return response;
  };
  try {
    const { keys } = await fetchKeys(await discoverIssuer(settings, watched), watched);
    return {
      finding: ok('issuers', `${issuer} answers, with ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}`),
      clocks: clocks.slice(0, 1),
    };
  } catch (error) {
    const remedy =
      'check auth.oidc.issuer, its proxy and its ca, and that this machine can reach it; until then, its tokens are refused';
    return { finding: problem('issuers', `${issuer} cannot be used (${reasonOf(error)})`, remedy), clocks: clocks.slice(0, 1) };
  }
}
