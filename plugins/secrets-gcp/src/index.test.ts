import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakePluginDeps } from '@svc/sdk/testing';
import { HttpDouble } from '@svc/toolkit/testing';
import { Value } from 'typebox/value';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import gcp from './index.ts';
import { Options } from './options.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-gcp-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const create = (given: object) =>
  gcp.create(
    Value.Parse(Options, Value.Default(Options, { project: 'svc-prod', ...given })),
    fakePluginDeps({ directory: folder }),
  );

// Other reads are tested in test/contract/secrets-clouds.slow.test.ts.
test.each<[string, object, RegExp]>([
  ['a project with a path', { project: 'svc-prod/secrets' }, /^project: /],
  ['a location with a domain', { location: 'europe-west3.example' }, /^location: /],
  ['http to another machine', { endpoint: 'http://vault.example' }, /^endpoint: /],
  ['an endpoint with a path', { endpoint: 'https://vault.example/v1' }, /^endpoint: /],
])('refuses %s', (_, given, message) => {
  expect(() => create(given)).toThrow(message);
});

/** Gives a token to everybody, and the same answer to each read. */
class Store extends HttpDouble {
  readonly #answer: (response: ServerResponse) => unknown;

  constructor(answer: (response: ServerResponse) => unknown) {
    super();
    this.#answer = answer;
  }

  protected async serve({ method }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (method === 'GET') return void this.#answer(response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ access_token: 't', expires_in: 3_600, token_type: 'Bearer' }));
  }
}

test.each<[string, string, (response: ServerResponse) => unknown]>([
  ['a body that is cut', 'unavailable', (to) => to.writeHead(200, { 'content-length': 99 }).write('{', () => to.destroy())],
  ['a body that is no JSON', 'malformed', (to) => to.end('<html>')],
  ['a name that no secret can have', 'not_found', (to) => to.writeHead(400).end('{"error":{"status":"INVALID_ARGUMENT"}}')],
])('%s is reported as %s', async (_, failure, answer) => {
  const store = await new Store(answer).listen();
  const [file, subject] = [join(folder, 'credentials.json'), join(folder, 'subject')];
  writeFileSync(subject, 'token of the cluster');
  const credentials = {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/cluster',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${store.origin}/token`,
    credential_source: { file: subject },
  };
  writeFileSync(file, JSON.stringify(credentials));
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
  const backend = create({ endpoint: store.origin });
  try {
    await expect(backend.resolve('model', 'value', new AbortController().signal)).rejects.toMatchObject({ failure });
  } finally {
    await backend.close?.();
    await store.close();
  }
});
