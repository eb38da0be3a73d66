import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openNote, parseCheckpoint, parseVerifierKey } from '@svc/ledger';
import { fakeLogger, fakePluginDeps, signingConformance } from '@svc/sdk/testing';
import { describe, expect, test, vi } from 'vitest';
import pkcs11 from '../../plugins/secrets-pkcs11/src/index.ts';
import { optionsOf } from '../../plugins/secrets-pkcs11/src/test-options.ts';
import { PATH } from '../contract/reloading-gateway.ts';
import { echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';
import { SoftHsm, skipsSoftHsm } from '../harness/softhsm.ts';
import { tokenProcesses } from '../harness/token-processes.ts';
import { until } from '../harness/until.ts';
import { verifyLedger } from '../harness/verify-ledger.ts';

const NEVER = new AbortController().signal;

describe.skipIf(skipsSoftHsm)('the backend pkcs11, with SoftHSM', { timeout: 60_000 }, () => {
  const opened = async () => {
    const hsm = await SoftHsm.start();
    // The library reads it in a process of its own.
    vi.stubEnv('SOFTHSM2_CONF', hsm.env.SOFTHSM2_CONF);
    return hsm;
  };
  const cases = signingConformance({
    open: async () => {
      const hsm = await opened();
      return {
        make: () => pkcs11.create(optionsOf({ module: hsm.module, pin: hsm.pin }), fakePluginDeps()),
        path: hsm.token,
        create: (key) => hsm.create(key),
        stop: async () => hsm.stop(),
        start: async () => hsm.resume(),
        dispose: async () => hsm.dispose(),
      };
    },
  });
  for (const { name, run } of cases) test(name, run);

  test('a PIN that the token refused is tried once by all clients, and the log has neither PIN nor label', async () => {
    const hsm = await opened();
    const logger = fakeLogger();
    const make = (pin: string) => pkcs11.create(optionsOf({ module: hsm.module, pin }), fakePluginDeps({ logger }));
    // As two reloads make them.
    const backends = [make('00009999'), make('00009999')];
    try {
      await hsm.create('ledger');
      for (const backend of backends) {
        const asked = [1, 2].map(() => backend.signingKey(hsm.token, 'ledger', NEVER));
        const refused = { status: 'rejected', reason: { failure: 'login_failed' } };
        expect(await Promise.allSettled(asked)).toMatchObject([refused, refused]);
      }
      // The second client would have logged it too.
      expect(logger.lines.map(({ fields }) => fields)).toEqual([{ event: 'hsm_failed', call: 'C_Login', code: '0xa0' }]);
      backends.push(make(hsm.pin));
      expect((await backends[2]?.signingKey(hsm.token, 'ledger', NEVER))?.public_key).toHaveLength(32);
    } finally {
      for (const backend of backends) await backend.close?.();
      hsm.dispose();
    }
  });

  test.each([
    ['pin_last_try', 0x20000n],
    ['pin_locked', 0x40000n],
  ])('the gateway does not log in to a token that reports %s', async (call, flags) => {
    const hsm = await opened();
    const logger = fakeLogger();
    const make = () => pkcs11.create(optionsOf({ module: hsm.module, pin: hsm.pin }), fakePluginDeps({ logger }));
    const backends = [make(), make()];
    try {
      await hsm.create('ledger');
      hsm.report(flags);
      const [first, second] = backends;
      await expect(first?.signingKey(hsm.token, 'ledger', NEVER)).rejects.toMatchObject({ failure: 'login_failed' });
      expect(logger.lines.map(({ fields }) => fields)).toEqual([{ event: 'hsm_failed', call, code: null }]);
      // The PIN was not refused, so it may be tried when the token reports no more.
      hsm.report(0n);
      expect((await second?.signingKey(hsm.token, 'ledger', NEVER))?.public_key).toHaveLength(32);
    } finally {
      for (const backend of backends) await backend.close?.();
      hsm.dispose();
    }
  });

  test('signs checkpoints of a gateway; while the token is away, runs get their answers and evidence, and it catches up', async () => {
    const hsm = await opened();
    for (const label of ['first', 'second']) await hsm.create(label);
    const signedBy = (label: string) => ({ origin: 'example.org/gateway', signing_keys: [`secret://hsm/${hsm.token}#${label}`] });
    const secrets = { hsm: { type: 'pkcs11', module: hsm.module, pin: 'secret://file/pin.json#pin' } };
    const gateway = await TestGateway.start({
      here: true,
      config: { ...echoConfig({ ledger: signedBy('first') }), secrets },
      principals: [{ principal_id: 'alice' }, { principal_id: 'root', roles: ['admin', 'audit'] }],
      files: { 'pin.json': JSON.stringify({ pin: hsm.pin }) },
    });
    const checkpoint = () => gateway.get('/v1/audit/ledger/checkpoint');
    const sizeOf = (note: string) => parseCheckpoint(openNote(note, []).text).size;
    const vkeys = async (): Promise<string[]> => (await gateway.get('/v1/audit/ledger/keys')).body.verifier_keys;
    const text = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
    try {
      await gateway.chat('before');
      const kept = [(await checkpoint()).text];
      const [old = ''] = await vkeys();
      expect(openNote(kept[0] ?? '', [parseVerifierKey(old)]).signedBy).toHaveLength(1);

      hsm.stop();
      for (let n = 0; n < 3; n += 1) expect((await gateway.chat('meanwhile')).status).toBe(200);
      expect((await gateway.ledger()).length).toBe(sizeOf(kept[0] ?? '') + 3);
      const refused = await checkpoint();
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([503, 'SVC-STORE-001', '10']);
      await gateway.logged('ledger_not_signed');
      // The gateway itself tries every ten seconds.
      await gateway.logged('checkpoint_failed');
      expect((await gateway.get('/metrics', null)).text).toMatch(/^svc_signing_failures_total [1-9]/m);
      expect((await gateway.get('/readyz', null)).status).toBe(204);
      // Keys that cannot be used are not applied.
      await gateway.configure({ ...text, ledger: signedBy('second') });
      expect((await gateway.post(PATH, {}, 'root')).body.diagnostics).toMatchObject([{ path: 'ledger.signing_keys.0' }]);

      hsm.resume();
      const caughtUp = await checkpoint();
      expect([caughtUp.status, sizeOf(caughtUp.text)]).toEqual([200, sizeOf(kept[0] ?? '') + 3]);
      kept.push(caughtUp.text);
      await gateway.logged('ledger_signed_again');
      expect((await gateway.post(PATH, {}, 'root')).status).toBe(200);
      await gateway.chat('after');
      kept.push((await checkpoint()).text);
      const [young = ''] = await vkeys();
      expect(openNote(kept[2] ?? '', [parseVerifierKey(young)]).signedBy).toHaveLength(1);
      expect(young).not.toBe(old);
      expect(await verifyLedger(gateway, { checkpoints: kept, keys: [old, young] })).toMatchObject({ code: 0 });
      expect(gateway.output).not.toContain(hsm.pin);
      // The last checkpoint is signed at the shutdown.
      await gateway.chat('the last one');
      const { length } = await gateway.ledger();
      await gateway.stop();
      expect(sizeOf(await readFile(join(gateway.folder, 'runs-db.checkpoint'), 'utf8'))).toBe(length);
    } finally {
      await gateway.dispose();
      hsm.dispose();
    }
  });

  test('a gateway does not start if a key does not sign, and a key gives no value', async () => {
    const hsm = await opened();
    await hsm.create('first');
    const started = (config: GatewayConfig) =>
      TestGateway.start({ here: true, config, files: { 'pin.json': JSON.stringify({ pin: hsm.pin }) } }).then(
        async (gateway) => {
          await gateway.dispose();
          return 'started';
        },
        (error: unknown) => String(error),
      );
    const secrets = { hsm: { type: 'pkcs11', module: hsm.module, pin: 'secret://file/pin.json#pin' } };
    try {
      const unknown = { ...echoConfig({ ledger: { signing_keys: [`secret://hsm/${hsm.token}#none`] } }), secrets };
      expect(await started(unknown)).toMatch(/ledger\.signing_keys\.0.*hsm: it has no such path or key/);
      const openai = { type: 'openai', base_url: 'http://127.0.0.1:1', api_key: `secret://hsm/${hsm.token}#first` };
      const value = { ...echoConfig({ providers: { other: openai } }), secrets };
      expect(await started(value)).toContain('hsm holds signing keys, not values');
    } finally {
      hsm.dispose();
    }
  });

  test('two keys with one label are none', async () => {
    const hsm = await opened();
    const backend = pkcs11.create(optionsOf({ module: hsm.module, pin: hsm.pin }), fakePluginDeps());
    try {
      await hsm.create('ledger', '01');
      await hsm.create('ledger', '02');
      await expect(backend.signingKey(hsm.token, 'ledger', NEVER)).rejects.toMatchObject({ failure: 'not_found' });
    } finally {
      await backend.close?.();
      hsm.dispose();
    }
  });

  describe.skipIf(process.platform !== 'linux')('its process', () => {
    test('is ended if the library hangs, and starts again; the log distinguishes a hang from a crash', async () => {
      const hsm = await opened();
      const logger = fakeLogger();
      const options = optionsOf({ module: hsm.module, pin: hsm.pin, timeout_ms: 3_000 });
      const backend = pkcs11.create(options, fakePluginDeps({ logger }));
      const signal = async (name: NodeJS.Signals) => {
        const [pid = Number.NaN, ...others] = tokenProcesses(hsm);
        expect(others).toEqual([]);
        process.kill(pid, name);
        return pid;
      };
      try {
        await hsm.create('ledger');
        const key = await backend.signingKey(hsm.token, 'ledger', NEVER);
        const first = await signal('SIGSTOP');
        const asked = [1, 2].map((n) => key.sign(Buffer.from(`${n}`), NEVER));
        const failed = { status: 'rejected', reason: { failure: 'unavailable' } };
        expect(await Promise.allSettled(asked)).toMatchObject([failed, failed]);
        expect(await key.sign(Buffer.from('again'), NEVER)).toHaveLength(64);
        expect(tokenProcesses(hsm)).not.toContain(first);
        await signal('SIGSEGV');
        await until(() => logger.lines.length === 2);
        expect(await key.sign(Buffer.from('again'), NEVER)).toHaveLength(64);
        expect(logger.lines.map(({ fields }) => fields)).toEqual([
          { event: 'hsm_failed', call: 'timeout', code: null },
          { event: 'hsm_failed', call: 'exit', code: 'SIGSEGV' },
        ]);
      } finally {
        await backend.close?.();
        hsm.dispose();
      }
    });

    test('starts at most once a second while the token is away, and calls wait for it', async () => {
      const hsm = await opened();
      const backend = pkcs11.create(optionsOf({ module: hsm.module, pin: hsm.pin }), fakePluginDeps());
      try {
        await hsm.create('ledger');
        const key = await backend.signingKey(hsm.token, 'ledger', NEVER);
        hsm.stop();
        await expect(key.sign(Buffer.from('x'), NEVER)).rejects.toMatchObject({ failure: 'unavailable' });
        await expect(key.sign(Buffer.from('x'), NEVER)).rejects.toMatchObject({ failure: 'unavailable' });
        const before = performance.now();
        await expect(key.sign(Buffer.from('x'), NEVER)).rejects.toMatchObject({ failure: 'unavailable' });
        expect(performance.now() - before).toBeGreaterThan(500);
        hsm.resume();
        expect(await key.sign(Buffer.from('x'), NEVER)).toHaveLength(64);
      } finally {
        await backend.close?.();
        hsm.dispose();
      }
    });

    test('ends with a gateway that is killed while the library hangs', async () => {
      const hsm = await opened();
      await hsm.create('first');
      const gateway = await TestGateway.start({
        config: {
          ...echoConfig({ ledger: { signing_keys: [`secret://hsm/${hsm.token}#first`] } }),
          secrets: { hsm: { type: 'pkcs11', module: hsm.module, pin: 'secret://file/pin.json#pin' } },
        },
        files: { 'pin.json': JSON.stringify({ pin: hsm.pin }) },
        env: hsm.env,
      });
      try {
        const [pid = Number.NaN] = tokenProcesses(hsm);
        process.kill(pid, 'SIGSTOP');
        await gateway.stop('SIGKILL');
        await until(() => tokenProcesses(hsm).length === 0);
      } finally {
        await gateway.dispose();
        hsm.dispose();
      }
    });
  });
});
