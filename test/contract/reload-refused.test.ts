import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { echoConfig } from '../harness/gateway.ts';
import { PATH, ReloadingGateway } from './reloading-gateway.ts';

const scene = new ReloadingGateway();
const { start, write, apply, applied, digest, fileDigest, models, times, operations, counting, counted } = scene;

describe('nothing changes', () => {
  const refused = async (file: string | JsonObject) => {
    const before = await digest();
    if (typeof file === 'string') await writeFile(join(scene.gateway.folder, 'svc.yaml'), file);
    else await write(file);
    const { status, body } = await apply();
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'SVC-CONF-001' });
    expect(await digest()).toBe(before);
    return body.diagnostics.map(({ code, severity, path }: JsonObject) => [code, severity, path]);
  };

  it('for a file with errors, or with changes that need a restart', async () => {
    await start(counting());
    expect(await refused('routes: [')).toMatchObject([['SVC-POL-001', 'error', '']]);
    const unknown = { r: { provider: 'nowhere', model: 'm', pipeline: { ingress: [], egress: [] } } };
    expect(await refused(counting({ label: 'second' }, { routes: unknown }))).toEqual([
      ['SVC-POL-002', 'error', 'routes.r.provider'],
    ]);
    const restart = {
      ...counting(),
      server: { keep_alive_ms: 7_000 },
      runs: { result_ttl: '1h' },
      exporters: [{ type: 'jsonl', path: 'out' }],
    };
    expect((await refused(restart)).toSorted()).toEqual([
      ['SVC-POL-012', 'error', 'exporters'],
      ['SVC-POL-012', 'error', 'runs'],
      ['SVC-POL-012', 'error', 'server'],
    ]);
    expect(await counted()).toBe('seen-1');
    // What was created from a refused file is closed; what is active stays open.
    expect([times('closed_second'), times('closed_first')]).toEqual([1, 0]);
    expect(await operations()).toEqual([]);
  });

  it('for something other than a regular file, and the next apply does not wait for it', async () => {
    await start(echoConfig());
    const path = join(scene.gateway.folder, 'svc.yaml');
    await rm(path);
    execFileSync('mkfifo', [path]);
    expect(await apply()).toMatchObject({ status: 422, body: { code: 'SVC-CONF-001', diagnostics: [] } });
    await rm(path);
    await applied(echoConfig());
  });

  it('for a secret in something other than a regular file, and the next apply does not wait for it', async () => {
    await start(counting());
    const path = join(scene.gateway.folder, 'token');
    execFileSync('mkfifo', [path]);
    // More than there are threads for files.
    for (let turn = 0; turn < 5; turn += 1)
      expect(await refused(counting({ label: 'second', token: `secret://file/token#value${turn}` }))).toEqual([
        ['SVC-POL-008', 'error', 'packs.count.token'],
      ]);
    await rm(path);
    await writeFile(path, JSON.stringify({ value: 'one' }), { mode: 0o600 });
    await applied(counting({ label: 'second', token: 'secret://file/token#value' }));
  });

  it('if a guard does not start', async () => {
    await start(counting());
    expect(await refused(counting({ label: 'second', starts: false }))).toEqual([]);
    expect([times('closed_second'), times('closed_first')]).toEqual([1, 0]);
    expect(await counted()).toBe('seen-1');
    expect(await operations()).toEqual([]);
  });

  it('with dry_run, which reports what would change', async () => {
    await start(counting());
    const before = await digest();
    await write(counting({ label: 'second' }));
    const { status, body } = await apply({ dry_run: true });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { active_digest: before, file_digest: await fileDigest(), changes: [{ section: 'packs', name: 'count' }] },
    });
    expect(await digest()).toBe(before);
    expect([times('started_second'), times('closed_second'), times('closed_first')]).toEqual([0, 1, 0]);
  });

  it('for a key without the role admin', async () => {
    await start(echoConfig());
    await write(echoConfig({ routes: { more: { provider: 'local', model: 'm', pipeline: { ingress: [], egress: [] } } } }));
    expect((await apply({}, 'alice')).body.code).toBe('SVC-AUTH-002');
    expect((await scene.gateway.get(PATH, 'caller')).status).toBe(403);
    expect((await apply({ unknown: 1 })).body.code).toBe('SVC-REQ-001');
    expect(await models()).toEqual(['default']);
  });

  it('about what a restart would do with the same file', async () => {
    await start(counting());
    const { active_digest } = await applied(counting({ label: 'second' }));
    await scene.gateway.stop();
    await scene.gateway.launch();
    expect(await digest()).toBe(active_digest);
    expect(times('configuration_applied')).toBe(1);
  });
});
