import { spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../bench/processes.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { asGroup, killGroup } from '../harness/process-group.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');
const skipped = spawnSync('systemd-analyze', ['--version']).error !== undefined && process.env.CI !== 'true';

/** Node cannot listen on a Unix socket for datagrams. */
const LISTENER = `
import socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print("bound", flush=True)
while True:
    data, descriptors, _, _ = socket.recv_fds(listener, 4096, 4)
    for descriptor in descriptors:
        socket.close(descriptor)
    print(data.decode().replace("\\n", " "), flush=True)
`;

describe.skipIf(skipped)(`systemd${skipped ? ': needs its tools' : ''}`, () => {
  it('rates the exposure of the unit at most 2 of 10', () => {
    const args = ['security', '--offline=true', '--no-pager', '--threshold=20', join(DEPLOY, 'svc.service')];
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect(status, `${stdout}${stderr}`).toBe(0);
  });

  it('creates the user of the unit', async () => {
    const root = await mkdtemp(join(tmpdir(), 'svc-sysusers-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const folder = join(root, 'etc', 'sysusers.d');
    await mkdir(folder, { recursive: true });
    await copyFile(join(DEPLOY, 'svc.sysusers.conf'), join(folder, 'svc.conf'));
    const { status, stderr } = spawnSync('systemd-sysusers', [`--root=${root}`], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(await readFile(join(root, 'etc', 'passwd'), 'utf8')).toMatch(
      /^svc:x:\d+:\d+:[^:]*:\/var\/lib\/svc:\/usr\/sbin\/nologin$/m,
    );
  });

  it('is notified once the server serves, and not before', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-notify-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'notify');
    const listener = asGroup(spawn('python3', ['-c', LISTENER, path], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] }));
    onTestFinished(() => killGroup(listener));
    const lines = createInterface({ input: listener.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('bound');
    const port = await freePort();
    const starting = TestGateway.start({ config: echoConfig(), args: ['--port', `${port}`], env: { NOTIFY_SOCKET: path } });
    onTestFinished(async () => (await starting).dispose());
    expect((await lines.next()).value).toContain('READY=1');
    // At once: the test does not wait for the gateway itself.
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(204);
    const gateway = await starting;
    expect(gateway.output).not.toContain('service_manager_unreachable');
  });

  it('that cannot be reached is a warning', async () => {
    const gateway = await TestGateway.start({ config: echoConfig(), env: { NOTIFY_SOCKET: '/nowhere/notify' } });
    onTestFinished(() => gateway.dispose());
    await gateway.logged('service_manager_unreachable');
    expect((await gateway.chat('hello')).status).toBe(200);
  });
});
