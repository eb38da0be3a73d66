import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROLE, VaultDouble } from '../../plugins/secrets-vault/src/vault-double.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { keyInUse, startWithSecrets } from '../harness/secrets-gateway.ts';

let vault: VaultDouble;
let upstream: Upstream;
let gateway: TestGateway | undefined;
beforeEach(async () => {
  vault = new VaultDouble();
  [upstream] = await Promise.all([startUpstream(), vault.listen()]);
  vault.write('apps/model', { api_key: 'sk-first' });
});
afterEach(async () => {
  await gateway?.dispose();
  gateway = undefined;
  await Promise.all([upstream.close(), vault.close()]);
});

const start = async (given: Readonly<Record<string, string>> = ROLE): Promise<TestGateway> => {
  gateway = await startWithSecrets(upstream, { type: 'vault', address: vault.origin, ...given });
  return gateway;
};

/** Resolves when the log has this event. */
const logged = (gateway: TestGateway, event: string) =>
  gateway.until((output) => output.split('\n').find((line) => line.includes(`"event":"${event}"`)));

it('a changed key of a provider is used without a restart, and the operations log says so', async () => {
  const gateway = await start();
  expect(await keyInUse(gateway, upstream)).toBe('sk-first');
  vault.write('apps/model', { api_key: 'sk-second' });
  expect(await logged(gateway, 'secret_changed')).toContain('secret://vault/apps/model#api_key');
  expect(await keyInUse(gateway, upstream)).toBe('sk-second');
  const { records } = (await gateway.get('/v1/audit/operations', 'root')).body;
  expect(records.at(-1)).toMatchObject({
    action: 'configuration.applied',
    reason: 'a secret has changed',
    actor: { principal_id: null },
  });
  expect(records.at(-1).before).toBe(records.at(-1).after);
  const { text } = await gateway.get('/metrics', null);
  expect(text).toMatch(/svc_secret_refreshes_total\{backend="vault",outcome="changed"\} 1/);
  expect(gateway.output + text + JSON.stringify(records)).not.toMatch(/sk-(first|second)|secret-of-svc/);
});

it('an edit of the file that nobody has applied stays without effect', async () => {
  const gateway = await start();
  await gateway.put({ 'svc.yaml': 'not: applied' });
  vault.write('apps/model', { api_key: 'sk-second' });
  await logged(gateway, 'secret_changed');
  expect(await keyInUse(gateway, upstream)).toBe('sk-second');
});

it('the last value is used while the server is away, and the log and a metric say so', async () => {
  const gateway = await start();
  vault.sealed = true;
  expect(await logged(gateway, 'secret_refresh_failed')).toContain('vault: it cannot be reached, or is not ready');
  expect(await keyInUse(gateway, upstream)).toBe('sk-first');
  expect((await gateway.get('/metrics', null)).text).toMatch(
    /svc_secret_refreshes_total\{backend="vault",outcome="failed"\} [1-9]/,
  );
  vault.sealed = false;
  await logged(gateway, 'secret_refresh_recovered');
});

it.each<[string, Readonly<Record<string, string>>, () => void]>([
  ['a secret is missing', ROLE, () => vault.write('apps/model', {})],
  ['the login is refused', { ...ROLE, secret_id: 'wrong-credential' }, () => undefined],
  ['the server is sealed', ROLE, () => Object.assign(vault, { sealed: true })],
])('the gateway does not start if %s', async (_, login, prepare) => {
  prepare();
  const refused = await start(login).then(
    () => 'started',
    (error: unknown) => String(error),
  );
  expect(refused).toContain('cannot resolve secret://vault/apps/model#api_key');
  expect(refused).not.toMatch(/sk-first|wrong-credential/);
});
