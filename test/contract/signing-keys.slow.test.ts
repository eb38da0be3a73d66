import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { openNote, parseCheckpoint, parseVerifierKey } from '@svc/ledger';
import { afterEach, describe, expect, it } from 'vitest';
import { ROLE, VaultDouble } from '../../plugins/secrets-vault/src/vault-double.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { verifyLedger } from '../harness/verify-ledger.ts';
import { PATH } from './reloading-gateway.ts';

const newPem = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const PRINCIPALS = [{ principal_id: 'alice' }, { principal_id: 'root', roles: ['admin', 'audit'] }];
const LONG = 60_000;

let gateway: TestGateway;
afterEach(() => gateway.dispose());

const start = async (ledger: JsonObject, more: JsonObject = {}, others: Record<string, string> = {}): Promise<void> => {
  const files = { 'old.key': newPem(), 'new.key': newPem(), ...others };
  gateway = await TestGateway.start({ here: true, config: echoConfig({ ledger, ...more }), principals: PRINCIPALS, files });
};

/** Applies the file with other keys, and with other routes besides its own. */
const applied = async (names: readonly string[], routes: JsonObject = {}) => {
  const text = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
  await gateway.configure({
    ...text,
    routes: { ...text.routes, ...routes },
    ledger: { ...text.ledger, signing_keys: names.map((name) => `secret://file/${name}#pem`) },
  });
  return gateway.post(PATH, {}, 'root');
};
const rotate = (...names: readonly string[]) => applied(names);
const vkeys = async (): Promise<string[]> => (await gateway.get('/v1/audit/ledger/keys')).body.verifier_keys;
const noteOf = async (log = 'ledger') => (await gateway.get(`/v1/audit/${log}/checkpoint`)).text;
const signersIn = (note: string, keys: readonly string[]) => openNote(note, keys.map(parseVerifierKey)).signedBy.length;
const events = (name: string): JsonObject[] =>
  gateway.output.split('\n').flatMap((line) => (line.includes(`"event":"${name}"`) ? [JSON.parse(line)] : []));
const newestOperation = async () => (await gateway.get('/v1/audit/operations', 'root')).body.records.at(-1);

describe('another signing key', { timeout: LONG }, () => {
  it('takes over by a reload while runs are in progress, and checkpoints that were kept still verify', async () => {
    await start({ origin: 'example.org/gateway', signing_keys: ['secret://file/old.key#pem'] });
    let isOver = false;
    let runs = 0;
    const traffic = Array.from({ length: 2 }, async () => {
      while (!isOver) {
        expect((await gateway.chat('hello')).status).toBe(200);
        runs += 1;
      }
    });
    const old = await vkeys();
    const kept = [await noteOf()];
    const { status, body } = await rotate('new.key', 'old.key');
    expect({ status, changes: body.changes }).toEqual({
      status: 200,
      changes: [{ section: 'ledger.signing_keys', name: 'signing_keys', change: 'changed' }],
    });
    expect(await newestOperation()).toMatchObject({
      action: 'configuration.applied',
      actor: { principal_id: 'root' },
      change: { sections: ['ledger.signing_keys'] },
    });
    const both = await vkeys();
    expect(both.slice(1)).toEqual(old);
    expect((await newestOperation()).change.verifier_keys).toEqual(both);
    kept.push(await noteOf());
    expect(signersIn(kept[1] ?? '', both)).toBe(2);
    expect((await rotate('new.key')).status).toBe(200);
    kept.push(await noteOf());
    isOver = true;
    await Promise.all(traffic);
    kept.push(await noteOf());
    const [young = ''] = both;
    expect(kept.map((note) => [signersIn(note, old), signersIn(note, [young])])).toEqual([
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 1],
    ]);
    expect(parseCheckpoint(openNote(kept[3] ?? '', []).text).size).toBeGreaterThanOrEqual(runs);
    // The operations log has the same keys.
    expect(signersIn(await noteOf('operations'), [young])).toBe(1);
    expect(events('ledger_key_changed')).toMatchObject([{ before: old[0], now: young }]);
    expect(await verifyLedger(gateway, { checkpoints: kept, keys: both })).toMatchObject({ code: 0 });
    expect(await verifyLedger(gateway, { checkpoints: kept.slice(0, 2), keys: old })).toMatchObject({ code: 0 });
    expect((await verifyLedger(gateway, { checkpoints: kept.slice(2), keys: old })).code).toBe(1);
    // The next start continues with the new key, and has nothing to report.
    await gateway.stop();
    await gateway.launch();
    expect(await vkeys()).toEqual([young]);
    expect(events('ledger_key_changed')).toHaveLength(1);
  });

  it('is not applied if it cannot be read, or with another change of the section', async () => {
    await start({ signing_keys: ['secret://file/old.key#pem'] });
    const old = await vkeys();
    expect((await rotate('none.key')).body.diagnostics).toMatchObject([{ code: 'SVC-POL-008', path: 'ledger.signing_keys.0' }]);
    const text = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
    await gateway.configure({ ...text, ledger: { origin: 'example.org/b', signing_keys: ['secret://file/new.key#pem'] } });
    expect((await gateway.post(PATH, {}, 'root')).body.diagnostics).toMatchObject([{ code: 'SVC-POL-012', path: 'ledger' }]);
    expect(await vkeys()).toEqual(old);
  });

  it("may follow the gateway's own, which then does not sign alone", async () => {
    await start({});
    const [own = ''] = await vkeys();
    expect((await rotate('new.key', 'runs-db.key')).status).toBe(200);
    expect((await vkeys())[1]).toBe(own);
    await noteOf();
    await gateway.logged('ledger_key_changed');
    const inventory = async () => (await gateway.ledger()).filter(({ record_type }) => record_type === 'model_inventory');
    const before = await inventory();
    const back = await applied([], { fresh: { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [] } } });
    expect([back.status, back.body.code]).toEqual([422, 'SVC-CONF-001']);
    expect(back.body.detail).toContain('ledger.signing_keys');
    expect(await vkeys()).toHaveLength(2);
    // Nothing of the refused file is on record.
    expect(await inventory()).toEqual(before);
  });

  it('takes over when its secret has another value', async () => {
    const vault = new VaultDouble();
    await vault.listen();
    try {
      vault.write('ledger', { pem: newPem() });
      const secrets = { vault: { type: 'vault', refresh_s: 1, address: vault.origin, ...ROLE } };
      await start({ signing_keys: ['secret://vault/ledger#pem'] }, { secrets });
      const old = await vkeys();
      const kept = [await noteOf()];
      vault.write('ledger', { pem: newPem() });
      await gateway.logged('ledger_key_changed');
      const now = await vkeys();
      expect(now).not.toEqual(old);
      kept.push(await noteOf());
      expect(await newestOperation()).toMatchObject({
        action: 'configuration.applied',
        reason: 'a secret has changed',
        change: { sections: ['ledger.signing_keys'] },
      });
      expect(events('secret_needs_restart')).toEqual([]);
      expect(events('secret_changed')).toMatchObject([{ references: ['secret://vault/ledger#pem'] }]);
      expect(await verifyLedger(gateway, { checkpoints: kept, keys: [...now, ...old] })).toMatchObject({ code: 0 });
      // What is no key is not used.
      vault.write('ledger', { pem: 'no key' });
      await gateway.logged('secret_not_applied');
      expect(await vkeys()).toEqual(now);
    } finally {
      await vault.close();
    }
  });

  it('is read with the new login of its backend after a reload, although only the file of the login has changed', async () => {
    const vault = new VaultDouble();
    await vault.listen();
    try {
      vault.write('ledger', { pem: newPem() });
      const login = () => JSON.stringify({ token: vault.newToken() });
      const secrets = {
        vault: { type: 'vault', refresh_s: 1, address: vault.origin, token: 'secret://file/vault.json#token' },
      };
      await start({ signing_keys: ['secret://vault/ledger#pem'] }, { secrets }, { 'vault.json': login() });
      const old = await vkeys();
      vault.revokeAll();
      await gateway.logged('secret_refresh_failed');
      await gateway.put({ 'vault.json': login() });
      const { status, body } = await gateway.post(PATH, {}, 'root');
      expect({ status, changes: body.changes }).toEqual({
        status: 200,
        changes: [{ section: 'secrets', name: 'vault', change: 'changed' }],
      });
      expect((await gateway.post(PATH, {}, 'root')).body.changes).toEqual([]);
      expect(await vkeys()).toEqual(old);
      vault.write('ledger', { pem: newPem() });
      await gateway.logged('ledger_key_changed');
      expect(await vkeys()).not.toEqual(old);
    } finally {
      await vault.close();
    }
  });
});
