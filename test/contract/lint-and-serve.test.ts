import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Closing } from '@svc/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { diagnose } from '../../host/src/commands/lint.ts';
import { assemble } from '../../host/src/compose/assemble.ts';
import { readConfiguration } from '../../host/src/compose/configuration.ts';
import { newHost } from '../../host/src/compose/host.ts';
import { GUARD_POOL } from '../../host/src/compose/tokens.ts';
import { runsDb } from '../../host/src/config/runs-db.ts';
import { silentLogger } from '../../host/src/telemetry/log/logger.ts';
import { Metrics } from '../../host/src/telemetry/metrics/metrics.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { BROKEN, WELL } from './broken-configurations.ts';

let folder: string;
beforeAll(() => {
  vi.stubEnv('TOKEN', 'a-token');
  vi.stubEnv('HOOK', `whsec_${Buffer.alloc(32, 7).toString('base64')}`);
  folder = mkdtempSync(join(tmpdir(), 'svc-broken-'));
  const at = (name: string) => join(folder, name);
  mkdirSync(at('there'));
  symlinkSync('there', at('link'));
  symlinkSync('nowhere.jsonl', at('dangling.jsonl'));
  writeFileSync(at('bad.pem'), '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', { mode: 0o600 });
  writeFileSync(at('bad.json'), JSON.stringify({ key: 'short' }), { mode: 0o600 });
  writeFileSync(at('list.json'), '[]');
  linkSync(at('list.json'), at('hard.json'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function write(text: string): string {
  const file = join(folder, 'svc.yaml');
  writeFileSync(file, text);
  return file;
}

const isLinted = async (file: string): Promise<boolean> =>
  (await diagnose(file)).diagnostics.every(({ severity }) => severity !== 'error');

/** All that `svc serve` does before it listens. */
async function isServed(file: string): Promise<boolean> {
  const host = newHost(silentLogger);
  const { config } = await readConfiguration(file, true, host);
  if (config === null) {
    await host.resolve(GUARD_POOL).close();
    return false;
  }
  const runs_db = runsDb(join(mkdtempSync(join(folder, 'runs-')), 'runs-db'), true);
  const options = { runs_db, seals_inventory: true, allowed_hosts: null, metrics: new Metrics() };
  const assembled = await assemble(config, options, host).catch(() => null);
  await assembled?.close(new Closing());
  return assembled !== null;
}

it('a complete file passes both', async () => {
  const file = write(JSON.stringify(WELL));
  expect((await diagnose(file)).diagnostics).toEqual([]);
  expect(await isServed(file)).toBe(true);
});

it('there are more than a hundred broken files, no two of them equal', () => {
  expect(new Set(BROKEN.map(({ text }) => text)).size).toBe(BROKEN.length);
  expect(BROKEN.length).toBeGreaterThan(100);
});

it.each(BROKEN)('neither svc lint nor svc serve accepts $why', async ({ text }) => {
  const file = write(text);
  expect({ lint: await isLinted(file), serve: await isServed(file) }).toEqual({ lint: false, serve: false });
});

describe('the commands themselves', () => {
  const chosen = BROKEN.filter((_, index) => index % 80 === 0);

  it.each(chosen)('exit with 1 for $why', ({ text }) => {
    const file = write(text);
    for (const command of ['lint', 'serve']) {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, command, '--config', file], { encoding: 'utf8' });
      expect(status, stderr).toBe(1);
    }
  });
});

it('a missing key is reported, unless authentication is off', async () => {
  for (const [args, told] of [
    [[], 1],
    [['--no-auth'], 0],
  ] as const) {
    const gateway = await TestGateway.start({ here: true, config: echoConfig(), principals: [], args });
    await gateway.dispose();
    expect(gateway.output.match(/"code":"SVC-POL-009"/g) ?? []).toHaveLength(told);
  }
});
