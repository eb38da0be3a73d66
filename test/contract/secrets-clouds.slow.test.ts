import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretFailedError, type SecretFailure, type SecretsBackend } from '@svc/contracts';
import { fakePluginDeps, secretsConformance } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import azure from '../../plugins/secrets-azure/src/index.ts';
import { Options as AzureOptions } from '../../plugins/secrets-azure/src/options.ts';
import gcp from '../../plugins/secrets-gcp/src/index.ts';
import { Options as GcpOptions } from '../../plugins/secrets-gcp/src/options.ts';
import { AZURE_HOSTS, AZURE_VAULT, AzureDouble } from '../fixtures/azure-vault.ts';
import { GOOGLE_HOSTS, GoogleDouble } from '../fixtures/google-secrets.ts';
import { startUpstream } from '../fixtures/upstream.ts';
import { hasOpenssl, TestIssuer } from '../harness/certificates.ts';
import { keyInUse, startWithSecrets } from '../harness/secrets-gateway.ts';

const NEVER = new AbortController().signal;
const OTHER = 'https://other.example/';

/** A cloud, and how its tests use it. */
interface Cloud {
  readonly double: GoogleDouble | AzureDouble;
  /** The section of the configuration. */
  readonly section: Readonly<Record<string, string>> & { readonly type: string };
  make(more?: object): SecretsBackend;
  write(name: string, content: string): void;
  textOf(name: string): string;
  forbid(name: string): void;
  /** Sets another login by the environment. */
  login(by: 'secret' | 'file' | 'wrong' | 'nothing'): void;
  /** Of a request for a token. */
  readonly loginRequest: RegExp;
}

const folder = mkdtempSync(join(tmpdir(), 'svc-clouds-'));
// Other packages here bring other releases of the clients, which the plugins would find in the folder of the configuration.
const deps = () => fakePluginDeps({ directory: folder });
let issuer: TestIssuer;
beforeAll(() => {
  if (hasOpenssl) issuer = new TestIssuer('svc test CA', [...GOOGLE_HOSTS, ...AZURE_HOSTS]);
});
afterAll(() => {
  issuer?.dispose();
  rmSync(folder, { recursive: true });
});
afterEach(() => vi.unstubAllEnvs());

function fileOf(name: string, content: string | object): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  return path;
}

async function googleCloud(): Promise<Cloud> {
  const double = await new GoogleDouble(issuer).listen();
  const name = (secret: string) => `projects/svc-prod/secrets/${secret}`;
  const section = { type: 'gcp', project: 'svc-prod', proxy: double.proxy, ca: issuer.ca };
  const { type: _, ...options } = section;
  const login: Cloud['login'] = (by) => {
    const other = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const content = {
      secret: () => double.serviceAccount(),
      file: () => double.federation(fileOf('subject', double.subjectToken)),
      wrong: () => double.serviceAccount(other()),
      nothing: () => ({ type: 'service_account' }),
    };
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', fileOf(`google-${by}.json`, content[by]()));
  };
  login('secret');
  return {
    double,
    section,
    make: (more = {}) => gcp.create(Value.Parse(GcpOptions, Value.Default(GcpOptions, { ...options, ...more })), deps()),
    write: (secret, content) => double.write(name(secret), content),
    textOf: (secret) => double.textOf(name(secret)),
    forbid: (secret) => double.forbidden.add(name(secret)),
    login,
    loginRequest: /^POST (?:oauth2|sts)\.googleapis\.com/,
  };
}

async function azureCloud(): Promise<Cloud> {
  const double = await new AzureDouble(issuer).listen();
  const section = { type: 'azure', vault: AZURE_VAULT, proxy: double.proxy, ca: issuer.ca };
  const { type: _, ...options } = section;
  const login: Cloud['login'] = (by) => {
    const { AZURE_CLIENT_SECRET: secret, ...known } = double.environment;
    const by_file = { AZURE_FEDERATED_TOKEN_FILE: fileOf('assertion', double.assertion) };
    const proofs = {
      secret: { AZURE_CLIENT_SECRET: secret },
      file: by_file,
      wrong: { AZURE_CLIENT_SECRET: 'wrong-secret' },
      nothing: {},
    };
    const none = { AZURE_CLIENT_SECRET: undefined, AZURE_FEDERATED_TOKEN_FILE: undefined };
    // Only logins of servers. Others would run programs that are installed here.
    const environment = {
      ...known,
      ...none,
      ...proofs[by],
      AZURE_TOKEN_CREDENTIALS: by === 'file' ? 'WorkloadIdentityCredential' : 'EnvironmentCredential',
    };
    for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
  };
  login('secret');
  return {
    double,
    section,
    make: (more = {}) => azure.create(Value.Parse(AzureOptions, Value.Default(AzureOptions, { ...options, ...more })), deps()),
    write: (secret, content) => double.write(secret, content),
    textOf: (secret) => double.textOf(secret),
    forbid: (secret) => double.forbidden.add(secret),
    login,
    loginRequest: /^POST login\.microsoftonline\.com/,
  };
}

describe.skipIf(!hasOpenssl).each([
  ['gcp', googleCloud],
  ['azure', azureCloud],
])('secrets of %s', (_, open) => {
  describe('conform', () => {
    const cases = secretsConformance({
      separator: '-',
      open: async () => {
        const cloud = await open();
        const { double } = cloud;
        return {
          make: cloud.make,
          write: async (path, key, value) => {
            cloud.write(path, JSON.stringify({ ...JSON.parse(cloud.textOf(path)), [key]: value }));
          },
          expireSession: async () => double.revokeAll(),
          stop: () => double.close(),
          dispose: () => double.close(),
        };
      },
    });
    for (const { name, run } of cases) it(name, run);
  });

  describe('read by the official client', () => {
    let cloud: Cloud;
    let backend: SecretsBackend;
    beforeEach(async () => {
      cloud = await open();
      backend = cloud.make();
      cloud.write('model', '{"api_key":"sk-1","port":8,"empty":""}');
    });
    afterEach(async () => {
      await backend.close?.();
      await cloud.double.close();
    });

    const failure = (name = 'model', key = 'api_key', by = backend): Promise<SecretFailure | string> =>
      by.resolve(name, key, NEVER).then(
        () => 'no failure',
        (error: unknown) => (error instanceof SecretFailedError ? error.failure : 'another error'),
      );
    const logins = () => cloud.double.asked.filter((line) => cloud.loginRequest.test(line)).length;

    it('with one login for many reads', async () => {
      await backend.resolve('model', 'api_key', NEVER);
      for (let n = 0; n < 3; n += 1) await backend.resolve('model', 'api_key', NEVER);
      expect(logins()).toBe(1);
    });

    it('every refresh_s', async () => {
      expect(await cloud.make({ refresh_s: 60 }).resolve('model', 'api_key', NEVER)).toEqual({
        value: 'sk-1',
        refresh_after_ms: 60_000,
      });
    });

    it('with a login by a token that the platform writes to a file', async () => {
      cloud.login('file');
      expect(await backend.resolve('model', 'api_key', NEVER)).toMatchObject({ value: 'sk-1' });
    });

    it('and a whole text by the key `value`', async () => {
      cloud.write('plain', 'sk-plain');
      expect(await backend.resolve('plain', 'value', NEVER)).toMatchObject({ value: 'sk-plain' });
      expect(await failure('plain', 'api_key')).toBe('not_found');
    });

    it('fail with the reason', async () => {
      expect(await failure('model', 'port')).toBe('malformed');
      expect(await failure('model', 'empty')).toBe('malformed');
      cloud.forbid('model');
      expect(await failure()).toBe('forbidden');
      cloud.double.failing = 503;
      expect(await failure('model', 'api_key', cloud.make({ timeout_ms: 500 }))).toBe('unavailable');
    });

    it('fail without a valid login', async () => {
      cloud.login('wrong');
      expect(await failure()).toBe('login_failed');
      cloud.login('nothing');
      expect(await failure('model', 'api_key', cloud.make())).toBe('login_failed');
    });

    it('are not read from a server to which the store redirects', async () => {
      await backend.resolve('model', 'api_key', NEVER);
      cloud.double.redirect = OTHER;
      expect(await failure()).toBe('unavailable');
      expect(cloud.double.asked.filter((line) => line.includes('other.example'))).toEqual([]);
    });

    it('are read from the servers of the cloud only, through the proxy', async () => {
      await backend.resolve('model', 'api_key', NEVER);
      expect(cloud.double.asked.filter((line) => line.startsWith('CONNECT'))).toEqual([]);
      await cloud.double.close();
      expect(await failure('model', 'api_key', cloud.make())).toBe('unavailable');
    });

    it('are not read from a server with another certificate', async () => {
      const stranger = new TestIssuer('another CA');
      expect(await failure('model', 'api_key', cloud.make({ ca: stranger.ca }))).toBe('unavailable');
      stranger.dispose();
    });

    it('are not read after the backend was closed', async () => {
      await backend.resolve('model', 'api_key', NEVER);
      await backend.close?.();
      expect(await failure()).toBe('unavailable');
    });
  });

  it('are used by a gateway, which reads them again', async () => {
    const cloud = await open();
    const upstream = await startUpstream();
    cloud.write('model', '{"api_key":"sk-first"}');
    const gateway = await startWithSecrets(upstream, cloud.section, 'model');
    try {
      expect(await keyInUse(gateway, upstream)).toBe('sk-first');
      cloud.write('model', '{"api_key":"sk-second"}');
      await gateway.until((output) => (output.includes('"event":"secret_changed"') ? true : undefined));
      expect(await keyInUse(gateway, upstream)).toBe('sk-second');
      expect(gateway.output).not.toMatch(/sk-(?:first|second)/);
    } finally {
      await gateway.dispose();
      await Promise.all([upstream.close(), cloud.double.close()]);
    }
  });
});

describe.skipIf(!hasOpenssl)('secrets of gcp', () => {
  let cloud: Cloud;
  beforeEach(async () => {
    cloud = await googleCloud();
  });
  afterEach(() => cloud.double.close());

  it('of a location are read from its own server', async () => {
    if (cloud.double instanceof GoogleDouble)
      cloud.double.write('projects/svc-prod/locations/europe-west3/secrets/model', 'sk-regional');
    const backend = cloud.make({ location: 'europe-west3' });
    expect(await backend.resolve('model', 'value', NEVER)).toMatchObject({ value: 'sk-regional' });
  });

  it('whose latest version is disabled, or no text, are reported', async () => {
    if (!(cloud.double instanceof GoogleDouble)) return;
    cloud.double.write('projects/svc-prod/secrets/bytes', Buffer.from([0xff, 0xfe]));
    cloud.double.write('projects/svc-prod/secrets/off', 'sk-off');
    cloud.double.disabled.add('projects/svc-prod/secrets/off');
    const backend = cloud.make();
    await expect(backend.resolve('bytes', 'value', NEVER)).rejects.toMatchObject({ failure: 'malformed' });
    await expect(backend.resolve('off', 'value', NEVER)).rejects.toMatchObject({ failure: 'not_found' });
  });
});
