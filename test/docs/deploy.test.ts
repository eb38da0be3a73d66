import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const hasNginx = spawnSync('nginx', ['-v']).status === 0;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-deploy-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What of the project a build for containers is given. */
async function copyContext(to: string): Promise<void> {
  const ignored = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).trim().split('\n');
  const names = ignored.map((line) => line.replace('**/', ''));
  await cp(ROOT, to, {
    recursive: true,
    filter: (source) =>
      !relative(ROOT, source)
        .split('/')
        .some((part) => names.includes(part)),
  });
}

/** Runs a command until it says that it listens, then ends it as a service manager would. */
async function servesAndStops(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('"event":"listening"')) child.kill('SIGTERM');
  }
  expect((await exit)[0], lines.join('\n')).toBe(0);
  expect(lines.join('\n')).toContain('"event":"listening"');
}

it('what npm start leaves beside the sources goes into no repository and no image', async () => {
  const lines = async (file: string) => (await readFile(join(ROOT, file), 'utf8')).split('\n');
  const secrets = ['svc.key', 'content.key', 'ledger.key', 'runs-db.key'];
  expect(await lines('.gitignore')).toEqual(expect.arrayContaining([...secrets, 'svc.yaml'].map((name) => `/${name}`)));
  expect(await lines('.gitignore')).toEqual(expect.arrayContaining(['/runs-db/', '/runs-db.rag/']));
  expect(await lines('.dockerignore')).toEqual(expect.arrayContaining([...secrets, 'svc.yaml', 'runs-db', 'runs-db.rag']));
});

it('Dockerfile: its steps build an installation without tools of development, and its command serves', async () => {
  const text = (await readFile(join(ROOT, 'deploy', 'Dockerfile'), 'utf8')).replaceAll('\\\n', '');
  const build = /^RUN (npm ci.*)$/m.exec(text)?.[1] ?? '';
  const entry: string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(text)?.[1] ?? '[]');
  const command: string[] = JSON.parse(/^CMD (.*)$/m.exec(text)?.[1] ?? '[]');
  const image = join(folder, 'image');
  await copyContext(image);
  const built = spawnSync('sh', ['-c', build], { cwd: image, encoding: 'utf8' });
  expect(built.status, built.stderr).toBe(0);
  expect(spawnSync('sh', ['-c', 'ls node_modules | grep -c -e vitest -e typescript'], { cwd: image }).status).toBe(1);
  const [node = '', ...args] = [...entry, ...command].map((part) =>
    part
      .replace('/usr/local/lib/svc', image)
      .replace('/etc/svc', folder)
      .replace('/var/lib/svc', folder)
      .replace('0.0.0.0', '127.0.0.1'),
  );
  const main = args[0] ?? '';
  expect(spawnSync(node, [main, 'init', '--config', join(folder, 'svc.yaml')]).status).toBe(0);
  await servesAndStops(node, [...args, '--port', '0']);
}, 180_000);

it('svc.service: its command serves', async () => {
  const unit = await readFile(join(ROOT, 'deploy', 'svc.service'), 'utf8');
  const command = /^ExecStart=\/usr\/local\/bin\/svc (.*)$/m.exec(unit)?.[1] ?? '';
  const main = join(ROOT, 'host', 'dist', 'main.js');
  const config = join(folder, 'unit', 'svc.yaml');
  await mkdir(join(folder, 'unit'));
  expect(spawnSync(process.execPath, [main, 'init', '--config', config]).status).toBe(0);
  const args = command
    .replace('/etc/svc/svc.yaml', config)
    .replace('0.0.0.0', '127.0.0.1')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of systemd
    .replace('${SVC_RUNS_DB}', join(folder, 'unit', 'runs-db'));
  await servesAndStops(process.execPath, [main, ...args.split(' '), '--port', '0']);
});

// CI installs it; elsewhere its own check stands in for nothing.
it.skipIf(!hasNginx)('nginx.conf: nginx takes it', async () => {
  const home = join(folder, 'nginx');
  await mkdir(home);
  const pair = ['-keyout', join(home, 'gateway.key'), '-out', join(home, 'gateway.pem')];
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-subj', '/CN=gateway.example', ...pair]);
  expect(made.status).toBe(0);
  const site = (await readFile(join(ROOT, 'deploy', 'nginx.conf'), 'utf8'))
    .replaceAll('/etc/ssl/', `${home}/`)
    .replaceAll(/gateway-\d\.internal/g, '127.0.0.1');
  const conf = join(home, 'nginx.conf');
  await writeFile(conf, `pid ${home}/nginx.pid;\nerror_log ${home}/error.log;\nevents {}\nhttp {\n${site}\n}\n`);
  const { status, stderr } = spawnSync('nginx', ['-t', '-c', conf, '-p', home], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
});
