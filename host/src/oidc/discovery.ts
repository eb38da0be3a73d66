import { fetchOver, type Network } from '@svc/toolkit/upstream';
import type { JSONWebKeySet } from 'jose';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetchOptions,
  customFetch,
  discovery,
  None,
} from 'openid-client';
import type { OidcIssuer } from '../config/index.ts';
import { isPrivateWay } from '../net/loopback.ts';

const TIMEOUT_S = 5;
/** Metadata and keys take a few kilobytes. */
const MAX_ANSWER_BYTES = 1_000_000;

/**
 * Reads the issuer's metadata from `<issuer>/.well-known/openid-configuration`, which must name the same issuer. All
 * requests of the client go to https or to this machine, whatever the metadata says, follow no redirect, and accept a
 * response of at most 1 MB.
 */
export async function discoverIssuer(
  { issuer, audience, client_id = audience, client_secret }: OidcIssuer,
  fetch: PrivateFetch,
): Promise<Configuration> {
  const url = new URL(issuer);
  const client = await discovery(url, client_id, undefined, authenticationBy(client_secret), {
    [customFetch]: fetch,
    timeout: TIMEOUT_S,
    ...(url.protocol === 'http:' ? { execute: [allowInsecureRequests] } : {}),
  });
  // The library accepts the metadata of some vendors for any issuer.
  if (client.serverMetadata().issuer !== issuer) throw new Error('the metadata belongs to another issuer');
  return client;
}

/** How the client authenticates: in a header, as RFC 6749, section 2.3.1, recommends, unless the issuer accepts the secret only in the body. */
function authenticationBy(secret: string | undefined): ClientAuth {
  if (secret === undefined) return None();
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    return (methods.includes('client_secret_basic') ? ClientSecretBasic : ClientSecretPost)(secret)(server, ...request);
  };
}

/**
 * The issuer's public keys.
 * @throws if it has none, or they cannot be fetched
 */
export async function fetchKeys(client: Configuration, fetch: PrivateFetch): Promise<JSONWebKeySet> {
  const { jwks_uri = '' } = client.serverMetadata();
  const signal = AbortSignal.timeout(TIMEOUT_S * 1000);
  const answer = await fetch(jwks_uri, { method: 'GET', headers: {}, body: null, redirect: 'manual', signal });
  if (answer.status !== 200) throw new Error(`the request for the keys returned status ${answer.status}`);
  return answer.json() as Promise<JSONWebKeySet>;
}

export type PrivateFetch = (url: string, options: CustomFetchOptions) => Promise<Response>;

/** Creates a `fetch` that sends requests over TLS or, without a proxy, to this machine. */
export function privateFetch(network: Network): PrivateFetch {
  const fetch = fetchOver(network.agent());
  return async (url, options) => {
    const to = new URL(url);
    const isInTheOpen = to.protocol === 'http:' && network.proxyOf(to.origin) !== null;
    if (!isPrivateWay(to) || isInTheOpen) throw new Error('an endpoint of the issuer does not use https');
    return bounded(await fetch(url, options as RequestInit));
  };
}

/** The same response, but reading it fails as soon as it is too large, whatever its declared length is. */
function bounded(answer: Response): Response {
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      bytes += piece.length;
      if (bytes > MAX_ANSWER_BYTES) throw Object.assign(new Error('the response is too large'), { code: 'ANSWER_TOO_LARGE' });
      controller.enqueue(piece);
    },
  });
  return new Response(answer.body?.pipeThrough(counted) ?? null, answer);
}
