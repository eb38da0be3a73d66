import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretFailedError, type SecretsBackend } from '@svc/sdk/secrets';
import { fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { afterAll, afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { AwsDouble, PLATFORM_TOKEN } from './aws-double.ts';
import aws from './index.ts';
import { Options } from './options.ts';

const NEVER = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'svc-aws-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

/** No other login of this machine, nor its metadata service. */
function login(variables: Readonly<Record<string, string>>): void {
  const none = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_EC2_METADATA_DISABLED: 'true' };
  const files = { AWS_CONFIG_FILE: join(folder, 'none'), AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none') };
  for (const [name, value] of Object.entries({ ...none, ...files, ...variables })) vi.stubEnv(name, value);
}
const KEY = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'x' };

const optionsOf = (given: object): Options => Value.Parse(Options, Value.Default(Options, { region: 'eu-central-1', ...given }));

describe('with answers of AWS', () => {
  let double: AwsDouble;
  let backend: SecretsBackend;
  beforeEach(async () => {
    double = new AwsDouble();
    await double.listen();
    login(KEY);
    backend = aws.create(optionsOf({ endpoint: double.origin }), fakePluginDeps({ directory: folder }));
  });
  afterEach(async () => {
    await backend.close?.();
    await double.close();
  });
  const read = () => backend.resolve('model', 'value', NEVER);
  const failure = () =>
    read().then(
      () => 'no failure',
      (error: unknown) => (error instanceof SecretFailedError ? error.failure : 'another error'),
    );

  test.each<[string, number, string]>([
    ['ResourceNotFoundException', 400, 'not_found'],
    ['InvalidRequestException', 400, 'not_found'],
    ['ValidationException', 400, 'not_found'],
    ['AccessDeniedException', 400, 'forbidden'],
    ['DecryptionFailure', 400, 'forbidden'],
    ['UnrecognizedClientException', 400, 'login_failed'],
    ['InvalidSignatureException', 400, 'login_failed'],
    ['ExpiredTokenException', 400, 'login_failed'],
    ['ThrottlingException', 400, 'unavailable'],
    ['InternalServiceError', 500, 'unavailable'],
    ['SomethingOfAFirewall', 403, 'forbidden'],
  ])('%s (%i) is reported as %s', async (name, status, reason) => {
    double.error = [name, status];
    expect(await failure()).toBe(reason);
  });

  it('finds new credentials when the old ones have expired', async () => {
    expect(await read()).toMatchObject({ value: 'sk-1' });
    double.expired.add(KEY.AWS_ACCESS_KEY_ID);
    login({ ...KEY, AWS_ACCESS_KEY_ID: 'AKIDNEWER' });
    expect(await read()).toMatchObject({ value: 'sk-1' });
    expect(double.asked).toEqual(['AKIDEXAMPLE', 'AKIDEXAMPLE', 'AKIDNEWER'].map((key) => `GetSecretValue by ${key}`));
  });

  it('takes the role of a token that the platform writes to a file', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, PLATFORM_TOKEN);
    const role = { AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/svc', AWS_WEB_IDENTITY_TOKEN_FILE: file };
    login({ ...role, AWS_ENDPOINT_URL_STS: double.origin });
    expect(await read()).toMatchObject({ value: 'sk-of-role' });
    expect(double.asked).toEqual(['AssumeRoleWithWebIdentity', 'GetSecretValue by ASIASESSION']);
  });

  it('fails without the role', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'another token');
    const role = { AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/svc', AWS_WEB_IDENTITY_TOKEN_FILE: file };
    login({ ...role, AWS_ENDPOINT_URL_STS: double.origin });
    expect(await failure()).toBe('login_failed');
  });

  it('does not follow a redirect', async () => {
    const other = await new AwsDouble().listen();
    double.redirect = other.origin;
    expect(await failure()).toBe('unavailable');
    expect(other.asked).toEqual([]);
    await other.close();
  });
});

test.each<[string, object, RegExp]>([
  ['a text that is not a region', { region: 'eu-central-1.example.com/' }, /^region: /],
  ['http to another machine', { endpoint: 'http://vault.example' }, /^endpoint: /],
  ['an endpoint with a path', { endpoint: 'https://vault.example/v1' }, /^endpoint: /],
])('refuses %s', (_, options, message) => {
  expect(() => aws.create(optionsOf(options), fakePluginDeps())).toThrow(message);
});
