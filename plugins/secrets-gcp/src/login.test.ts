import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as library from 'google-auth-library';
import { afterAll, afterEach, expect, it, test, vi } from 'vitest';
import { loginWith } from './login.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-gcp-login-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const TARGET = 'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/svc@svc.example:generateAccessToken';
const USER = { type: 'authorized_user', client_id: 'id', client_secret: 'secret', refresh_token: 'refresh' };
const federation = (credential_source: object) => ({
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/cluster',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source,
});

/** A login by these credentials, and the requests that the gateway's `fetch` sent for it. */
function login(credentials: object) {
  const file = join(folder, 'credentials.json');
  writeFileSync(file, JSON.stringify(credentials));
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
  const asked: string[] = [];
  const expireTime = new Date(Date.now() + 3_600_000).toISOString();
  const headersOf = loginWith(library, 'svc-prod', async (url) => {
    asked.push(`${url}`);
    return Response.json({ access_token: 'of-source', expires_in: 3_600, accessToken: 'of-target', expireTime });
  });
  return { asked, headers: () => headersOf('https://secretmanager.googleapis.com/') };
}

test.each<[string, object, string[]]>([
  ['a user', USER, ['https://oauth2.googleapis.com/token']],
  [
    'a federation',
    federation({ url: 'https://subject.example/token' }),
    ['https://subject.example/token', 'https://sts.googleapis.com/v1/token'],
  ],
])('the impersonation by %s sends each request with the given fetch', async (_, source_credentials, sources) => {
  const { asked, headers } = login({
    type: 'impersonated_service_account',
    service_account_impersonation_url: TARGET,
    source_credentials,
  });
  expect((await headers()).get('authorization')).toBe('Bearer of-target');
  expect(asked).toEqual([...sources, TARGET]);
});

it('refuses a client certificate before the library sends a request', async () => {
  const began = vi.spyOn(library.IdentityPoolClient.prototype, 'getRequestHeaders');
  const { headers } = login(federation({ certificate: { use_default_certificate_config: true } }));
  await expect(headers()).rejects.toMatchObject({ failure: 'login_failed' });
  expect(began).not.toHaveBeenCalled();
});
