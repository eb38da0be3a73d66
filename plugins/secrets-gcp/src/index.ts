import { isObject } from '@svc/sdk';
import { defineSecrets, SecretFailedError, type SecretFailure } from '@svc/sdk/secrets';
import { requireInstalled } from '@svc/toolkit/installed';
import { isUnresolved } from '@svc/toolkit/network';
import { type ClientStore, clientBackend, serverOrigin } from '@svc/toolkit/secrets';
import { loginWith } from './login.ts';
import { Options } from './options.ts';

const CLIENT = 'google-auth-library';

/** Secrets of Google Secret Manager. */
export default defineSecrets({
  type: 'gcp',
  options: Options,
  create(options, deps) {
    const place = placeOf(options);
    const [url = ''] = requireInstalled([CLIENT], deps.directory, import.meta.url);
    const store = {
      names: /^[A-Za-z0-9_-]{1,255}$/,
      failureOf: () => null,
      async open(fetch) {
        const headersOf = loginWith(await import(/* @vite-ignore */ url), options.project, fetch);
        return async (name, signal) => {
          const address = `${place}/secrets/${name}/versions/latest:access`;
          const response = await fetch(address, { headers: await headersOf(address), signal });
          // A body that is cut is a failure of the connection.
          return contentIn(response.status, parsed(await response.text()));
        };
      },
    } satisfies ClientStore;
    return clientBackend(store, options, deps);
  },
});

/** URL of the project. @throws {Error} for options that cannot be part of it */
function placeOf(options: Options): string {
  const forms = { project: /^[a-z0-9][a-z0-9.:-]{0,100}$/, location: /^[a-z0-9-]{1,40}$/ };
  for (const option of ['project', 'location'] as const) {
    const value = options[option];
    if (value !== undefined && !isUnresolved(value) && !forms[option].test(value))
      throw new Error(`${option}: contains characters that are not allowed`);
  }
  const { project, location, endpoint } = options;
  const own = location === undefined ? 'secretmanager.googleapis.com' : `secretmanager.${location}.rep.googleapis.com`;
  const origin = endpoint === undefined ? `https://${own}` : serverOrigin('endpoint', endpoint);
  return `${origin}/v1/projects/${project}${location === undefined ? '' : `/locations/${location}`}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @throws {SecretFailedError} */
function contentIn(status: number, body: unknown): Uint8Array {
  if (status !== 200) throw new SecretFailedError(failureOf(status, body));
  const payload = isObject(body) && isObject(body.payload) ? body.payload : {};
  if (typeof payload.data !== 'string') throw new SecretFailedError('malformed');
  return Buffer.from(payload.data, 'base64');
}

/** By the codes of https://cloud.google.com/apis/design/errors */
function failureOf(status: number, body: unknown): SecretFailure {
  const code = isObject(body) && isObject(body.error) ? body.error.status : undefined;
  if (status === 404) return 'not_found';
  // The latest version is disabled or destroyed, or no secret can have this name.
  if (code === 'FAILED_PRECONDITION' || code === 'INVALID_ARGUMENT') return 'not_found';
  if (status === 403) return 'forbidden';
  return status === 401 ? 'login_failed' : 'unavailable';
}
