import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { SecretFailedError, type SecretFailure } from '@svc/contracts';
import { fakePluginDeps, secretsConformance } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import aws from '../../plugins/secrets-aws/src/index.ts';
import { Options } from '../../plugins/secrets-aws/src/options.ts';
import { startUpstream } from '../fixtures/upstream.ts';
import { Moto } from '../harness/moto.ts';
import { skipsPython } from '../harness/python.ts';
import { keyInUse, startWithSecrets } from '../harness/secrets-gateway.ts';

/** Of installing it from an index. */
const LONG = 900_000;
const NEVER = new AbortController().signal;
const REGION = 'eu-central-1';
/** Of the identities, in `identities.py`. */
const UNCHECKED = 5;

type Key = Readonly<Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>>;

describe.skipIf(skipsPython('AWS Secrets Manager'))('the secrets backend aws, with moto', { timeout: LONG }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-aws-'));
  let moto: Moto;
  let admin: SecretsManagerClient;
  let identities: { readonly reader: Key; readonly stranger: Key };
  beforeAll(async () => {
    moto = await Moto.start(UNCHECKED);
    identities = await moto.script('identities.py');
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = identities.reader;
    admin = new SecretsManagerClient({ region: REGION, endpoint: moto.url, credentials: { accessKeyId, secretAccessKey } });
  }, LONG);
  afterAll(() => {
    admin?.destroy();
    moto?.stop();
    rmSync(folder, { recursive: true });
  });

  /** No other login of this machine, nor its metadata service. */
  const login = (variables: Readonly<Record<string, string>>) => {
    const none = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_EC2_METADATA_DISABLED: 'true' };
    const files = { AWS_CONFIG_FILE: join(folder, 'none'), AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none') };
    for (const [name, value] of Object.entries({ ...none, ...files, ...variables })) vi.stubEnv(name, value);
  };
  beforeEach(() => login(identities.reader));
  afterEach(() => vi.unstubAllEnvs());

  const make = (more: object = {}) =>
    aws.create(
      Value.Parse(Options, Value.Default(Options, { region: REGION, endpoint: moto.url, ...more })),
      fakePluginDeps({ directory: folder }),
    );
  const write = async (name: string, content: string | Uint8Array) => {
    const value = typeof content === 'string' ? { SecretString: content } : { SecretBinary: content };
    await admin
      .send(new CreateSecretCommand({ Name: name, ...value }))
      .catch(() => admin.send(new PutSecretValueCommand({ SecretId: name, ...value })));
  };
  const failure = (name: string, key: string, by = make()): Promise<SecretFailure | string> =>
    by.resolve(name, key, NEVER).then(
      () => 'no failure',
      (error: unknown) => (error instanceof SecretFailedError ? error.failure : 'another error'),
    );

  describe('conforms', () => {
    let opened = 0;
    const cases = secretsConformance({
      open: async () => {
        const fields = new Map<string, Record<string, string>>();
        opened += 1;
        const place = `case-${opened}`;
        let isStopped = false;
        return {
          // Each case has its own secrets, and one asks at an address where nobody listens.
          make: () => {
            const backend = make();
            const stopped = make({ endpoint: 'http://127.0.0.1:1' });
            return {
              resolve: (path, key, signal) => (isStopped ? stopped : backend).resolve(`${place}/${path}`, key, signal),
              close: async () => backend.close?.(),
            };
          },
          write: async (path, key, value) => {
            const all = { ...fields.get(path), [key]: value };
            fields.set(path, all);
            await write(`${place}/${path}`, JSON.stringify(all));
          },
          expireSession: null,
          stop: async () => {
            isStopped = true;
          },
          dispose: async () => undefined,
        };
      },
    });
    for (const { name, run } of cases) it(name, run);
  });

  it('reads a whole text, and bytes in UTF-8', async () => {
    await write('plain', 'sk-plain');
    await write('bytes', Buffer.from('sk-é'));
    await write('binary', Buffer.from([0xff, 0xfe]));
    expect(await make().resolve('plain', 'value', NEVER)).toMatchObject({ value: 'sk-plain' });
    expect(await make().resolve('bytes', 'value', NEVER)).toMatchObject({ value: 'sk-é' });
    expect(await failure('binary', 'value')).toBe('malformed');
    expect(await failure('plain', 'api_key')).toBe('not_found');
  });

  it('reads a secret by its ARN, and the version with the label', async () => {
    const { ARN = '', VersionId: first } = await admin.send(new CreateSecretCommand({ Name: 'labelled', SecretString: 'sk-1' }));
    await admin.send(new PutSecretValueCommand({ SecretId: ARN, SecretString: 'sk-2' }));
    await admin.send(new UpdateSecretVersionStageCommand({ SecretId: ARN, VersionStage: 'blue', MoveToVersionId: first }));
    expect(await make().resolve(ARN, 'value', NEVER)).toMatchObject({ value: 'sk-2' });
    expect(await make({ version_stage: 'blue' }).resolve(ARN, 'value', NEVER)).toMatchObject({ value: 'sk-1' });
    expect(await failure(ARN, 'value', make({ version_stage: 'green' }))).toBe('not_found');
  });

  it('fails with the reason', async () => {
    await write('model', '{"api_key":"sk-1"}');
    await write('deleted', 'sk-1');
    await admin.send(new DeleteSecretCommand({ SecretId: 'deleted' }));
    expect(await failure('deleted', 'value')).toBe('not_found');
    login(identities.stranger);
    expect(await failure('model', 'api_key')).toBe('forbidden');
    login({});
    expect(await failure('model', 'api_key')).toBe('login_failed');
  });

  it('gives a gateway its keys, and reads them again', async () => {
    const upstream = await startUpstream();
    await write('apps/model', '{"api_key":"sk-first"}');
    const gateway = await startWithSecrets(upstream, { type: 'aws', region: REGION, endpoint: moto.url });
    try {
      expect(await keyInUse(gateway, upstream)).toBe('sk-first');
      await write('apps/model', '{"api_key":"sk-second"}');
      await gateway.until((output) => (output.includes('"event":"secret_changed"') ? true : undefined));
      expect(await keyInUse(gateway, upstream)).toBe('sk-second');
      expect(gateway.output).not.toMatch(/sk-(?:first|second)/);
    } finally {
      await gateway.dispose();
      await upstream.close();
    }
  });
});
