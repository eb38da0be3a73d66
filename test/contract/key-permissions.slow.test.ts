import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig() });
});
afterEach(() => gateway.dispose());

const at = (...names: string[]) => join(gateway.folder, ...names);

function svc(...args: string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { cwd: gateway.folder, encoding: 'utf8' });
}

it.each([
  ['content.key', 'content.key', true],
  ['runs-db.key', 'runs-db.key', false],
])('%s that others may use is refused at start with the command to fix it, after which it serves', async (_, name, isLinted) => {
  await gateway.stop();
  for (const mode of [0o644, 0o602]) {
    await chmod(at(name), mode);
    await expect(gateway.launch()).rejects.toThrow(`chmod o-rwx ${at(name)}`);
    expect((await stat(at(name))).mode & 0o777).toBe(mode);
    if (isLinted) expect(svc('lint', '--config', 'svc.yaml', '--json').stdout).toContain('SVC-POL-008');
  }
  await chmod(at(name), 0o640);
  await gateway.launch();
  await gateway.stop();
  // A link is as its target is.
  await rename(at(name), at('elsewhere'));
  await symlink('elsewhere', at(name));
  await gateway.launch();
  await gateway.stop();
  await chmod(at('elsewhere'), 0o644);
  await expect(gateway.launch()).rejects.toThrow(`chmod o-rwx ${at('elsewhere')}`);
  await chmod(at('elsewhere'), 0o440);
  await gateway.launch();
});

it('parts of the content key that others may reach are refused at start', async () => {
  const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'a wire transfer' }] });
  expect((await gateway.request('DELETE', `/v1/runs/${body.run_id}/content`, { principal: 'bob' })).status).toBe(200);
  await gateway.stop();
  for (const mode of [0o755, 0o751]) {
    await chmod(at('content.key.parts'), mode);
    await expect(gateway.launch()).rejects.toThrow(`chmod -R o-rwx ${at('content.key.parts')}`);
  }
  await chmod(at('content.key.parts'), 0o750);
  await gateway.launch();
});

it('secrets mounted like in Kubernetes are accepted with mode 0440, and refused with the default mode', async () => {
  await gateway.stop();
  // Links into a folder with the time in its name, which a link names.
  const pem = await readFile(at('runs-db.key'));
  await mkdir(at('secret', '..2026_11_26'), { recursive: true });
  await writeFile(at('secret', '..2026_11_26', 'ledger.pem'), pem, { mode: 0o440 });
  await symlink('..2026_11_26', at('secret', '..data'));
  await symlink(join('..data', 'ledger.pem'), at('secret', 'ledger.pem'));
  const config = JSON.parse(await readFile(at('svc.yaml'), 'utf8'));
  await gateway.configure({ ...config, ledger: { signing_keys: ['secret://file/secret/ledger.pem#pem'] } });
  await gateway.launch();
  await gateway.stop();
  const mounted = at('secret', '..2026_11_26', 'ledger.pem');
  await chmod(mounted, 0o644);
  await expect(gateway.launch()).rejects.toThrow(`chmod o-rwx ${mounted}`);
  const linted = svc('lint', '--config', 'svc.yaml', '--json');
  expect(linted.status).toBe(1);
  expect(linted.stdout).toContain('SVC-POL-008');
});

it.each(['svc.key', 'approver.key'])(
  '%s of npm start is created for its owner only, and refused if others may read it',
  async (key) => {
    await gateway.stop();
    for (const name of ['svc.yaml', 'svc.key', 'approver.key']) if (existsSync(at(name))) await rm(at(name));
    expect(svc('init').status).toBe(0);
    expect((await stat(at(key))).mode & 0o777).toBe(0o600);
    await cp(at(key), at('kept'));
    await chmod(at(key), 0o644);
    const started = svc('start', '--port', '0');
    expect([started.status, started.stderr]).toEqual([1, expect.stringContaining(`chmod o-rwx ${at(key)}`)]);
  },
);
