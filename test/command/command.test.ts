import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { EVENT_TYPES } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { type SvcEnded, svcHere } from '../harness/svc-here.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-command-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const svc = (args: readonly string[]): Promise<SvcEnded> => svcHere(args, { cwd: folder });

/** In a process of its own: what main.ts does itself, how a process ends, what serves, and what reads a folder in a child process. */
function svcProcess(args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: 'utf8', timeout: 120_000 });
}

/** An operator's project that depends on one of the fixture packages. */
function project(fixture: string, packs: object): void {
  const source = join(import.meta.dirname, '..', 'fixtures', 'packages', fixture);
  const { name } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  mkdirSync(join(folder, 'node_modules', name), { recursive: true });
  cpSync(source, join(folder, 'node_modules', name), { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'operator', type: 'module', dependencies: { [name]: '*' } }),
  );
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: Object.keys(packs), egress: [] } };
  writeFileSync(
    join(folder, 'svc.yaml'),
    JSON.stringify({ providers: { local: { type: 'echo' } }, packs, routes: { default: route } }),
  );
}

describe('svc', () => {
  it('reference prints the keys of the configuration and the events, whole or in part', async () => {
    const whole = await svc(['reference', 'configuration']);
    const part = await svc(['reference', 'configuration', 'server.tls']);
    expect(whole.stdout).toContain('\n## `routes.<name>.fallbacks[]`\n');
    expect(part.stdout).toMatch(/^## `server`\n[\s\S]*\n## `server.tls`\n/);
    expect(part.stdout).not.toContain('`port`');
    const events = await svc(['reference', 'events']);
    for (const type of EVENT_TYPES) expect(events.stdout).toContain(`\n## \`${type}\`\n`);
    for (const args of [[], ['constructor'], ['configuration', 'nothing'], ['events', 'verdict', 'more']])
      expect(await svc(['reference', ...args])).toMatchObject({ status: 2, stdout: '' });
  });

  it('--version prints the release, --help the commands', () => {
    expect(svcProcess(['--version'])).toMatchObject({ status: 0, stdout: '2.0.0a1\n' });
    const help = svcProcess(['--help']);
    for (const command of ['init', 'serve', 'lint', 'keys new', 'plugins list', 'scan', 'try', 'ledger verify', 'migrate'])
      expect(help.stdout).toContain(`svc ${command}`);
    for (const args of [
      ['ledger', 'verify', '--help'],
      ['help', 'ledger'],
    ]) {
      const { stdout } = svcProcess(args);
      expect(stdout).toContain('svc ledger verify-proof');
      expect(stdout).not.toContain('svc init');
    }
    expect(svcProcess(['--help', 'nonsense']).stdout).toBe(help.stdout);
    expect(svcProcess(['help', 'runs']).stdout).toContain('svc runs erase --all');
  });

  it('accepts -h and -v', () => {
    expect(svcProcess(['-v'])).toMatchObject({ status: 0, stdout: '2.0.0a1\n' });
    expect(svcProcess(['-h']).stdout).toBe(svcProcess(['--help']).stdout);
    expect(svcProcess(['lint', '-h'])).toMatchObject({ status: 0, stdout: svcProcess(['help', 'lint']).stdout });
  });

  it.each([
    ['init --config /proc/none.yaml', 'ENOENT'],
    ['start --config /proc/none.yaml', 'ENOENT'],
    ['ledger verify /proc/self/mem', 'EIO'],
    ['rag index /proc --namespace n', 'EISDIR'],
  ])("%s prints the system's refusal in one line", async (line, code) => {
    const args = line.split(' ');
    const { status, stderr } = args[0] === 'start' ? svcProcess(args) : await svc(args);
    expect(status).toBe(1);
    expect(stderr).toMatch(new RegExp(`^svc: .*${code}.*\\n$`));
  });

  it.each([
    ['--host 999.1.1.1', 'ENOTFOUND'],
    ['--host 192.0.2.1', 'EADDRNOTAVAIL'],
    ['--runs-db /proc/none', 'ENOENT'],
  ])('serve %s is refused in one line', (options, code) => {
    project('bad-options-schema', {});
    const { status, stderr } = svcProcess([
      'serve',
      '--no-auth',
      '--allow-host',
      'x.example',
      '--port',
      '0',
      ...options.split(' '),
    ]);
    expect(status).toBe(1);
    expect(stderr).toMatch(new RegExp(`svc: .*${code}.*\\n$`));
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('without a command is a misuse: the commands are on stderr', () => {
    expect(svcProcess([])).toMatchObject({ status: 2, stdout: '', stderr: svcProcess(['--help']).stdout });
  });

  it.each([
    ['--help', 0],
    ['--version', 0],
    ['openapi', 0],
    ['init --json', 0],
    ['keys new alice', 0],
    ['plugins list --config nowhere.yaml', 1],
    ['lint --config nowhere.yaml --json', 1],
  ])('%s ends quietly without a reader, with its own exit code', async (line, code) => {
    const child = spawn(process.execPath, [MAIN, ...line.split(' ')], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    // Before it can write.
    child.stdout.destroy();
    const ended = once(child, 'close');
    const said = await text(child.stderr);
    expect({ ended: await ended, said }).toEqual({
      ended: [code, null],
      said: code === 1 && line.startsWith('plugins') ? said : '',
    });
    expect(said).not.toContain('EPIPE');
  });

  // The others are those of host/src/commands/commands.test.ts.
  it.each([[['nonsense']], [['serve', '--port', 'x']], [['keys', 'old', 'x']]])('misuse %j exits with 2 and one line', (args) => {
    const { status, stderr } = svcProcess(args);
    expect(status).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('svc init', () => {
  it('creates the folder of the configuration', async () => {
    // A missing file is told with the command that makes this one.
    expect((await svc(['lint', '--config', 'new/folder/svc.yaml'])).stdout).toMatch(
      /svc init --config \S*new\/folder\/svc\.yaml/,
    );
    expect((await svc(['init', '--config', 'new/folder/svc.yaml'])).status).toBe(0);
    expect((await svc(['lint', '--config', 'new/folder/svc.yaml'])).status).toBe(0);
  });

  it('writes a configuration that lints clean and two keys that only their owner reads, and overwrites none', async () => {
    expect((await svc(['init'])).status).toBe(0);
    const written = readFileSync(join(folder, 'svc.yaml'), 'utf8');
    for (const name of ['svc.key', 'approver.key']) {
      const key = readFileSync(join(folder, name), 'utf8').trim();
      expect(key).toMatch(/^svc-[0-9a-f]{64}$/);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(written).not.toContain(key);
      expect(written).toContain(`sha256:${createHash('sha256').update(key).digest('hex')}`);
    }
    const { auth, routes } = parse(written);
    expect(auth.keys).toMatchObject([{ principal_id: 'admin' }, { principal_id: 'approver', roles: ['approve', 'audit'] }]);
    for (const route of Object.values(routes)) expect(route).toMatchObject({ self_approval: false });
    expect(JSON.parse((await svc(['lint', '--format', 'json'])).stdout)).toEqual({ diagnostics: [] });
    expect((await svc(['init'])).status).toBe(1);
    expect(readFileSync(join(folder, 'svc.yaml'), 'utf8')).toBe(written);
  });
});

describe('svc config schema', () => {
  it('prints what svc init writes and svc.yaml names, and needs no configuration', async () => {
    const before = await svc(['config', 'schema']);
    expect(before).toMatchObject({ status: 0, stderr: '' });
    expect((await svc(['init', '--config', 'gateway.yaml'])).status).toBe(0);
    const [first] = readFileSync(join(folder, 'gateway.yaml'), 'utf8').split('\n');
    expect(first).toBe('# yaml-language-server: $schema=gateway.schema.json');
    const written = readFileSync(join(folder, 'gateway.schema.json'), 'utf8');
    expect(written).toBe(before.stdout);
    expect((await svc(['config', 'schema', '--config', 'gateway.yaml'])).stdout).toBe(written);
    expect(JSON.parse(written)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  });

  it('has the options of a plugin of the operator, and says which it leaves out', async () => {
    project('banned-words', {});
    expect(JSON.parse((await svc(['config', 'schema'])).stdout).$defs).toHaveProperty([
      'guard.banned-words',
      'properties',
      'words',
    ]);
    project('throws-on-import', {});
    const { status, stdout, stderr } = await svc(['config', 'schema']);
    expect({ status, isThere: stdout.includes('guard.throws-on-import') }).toEqual({ status: 0, isThere: false });
    expect(stderr).toContain('@fixture/throws-on-import');
  });

  it('prints nothing if the configuration cannot be read', async () => {
    writeFileSync(join(folder, 'svc.yaml'), 'plugins: [');
    expect(await svc(['config', 'schema'])).toMatchObject({ status: 1, stdout: '' });
  });
});

describe('svc init --json', () => {
  it('names every file', async () => {
    const { stdout } = await svc(['init', '--json', '--config', 'named/svc.yaml']);
    expect(JSON.parse(stdout)).toEqual({
      config: 'named/svc.yaml',
      key_file: join(folder, 'named', 'svc.key'),
      approver_key_file: join(folder, 'named', 'approver.key'),
      schema_file: join(folder, 'named', 'svc.schema.json'),
    });
  });
});

describe('svc keys new', () => {
  it.each([
    ['may call', [], 'call'],
    ['may do what is asked', ['--role', 'audit', '--role', 'approve'], 'audit, approve'],
  ])('prints a key and its configuration line with the hash: it %s', async (_, args, roles) => {
    const { stdout } = await svc(['keys', 'new', 'alice', ...args]);
    const key = /svc-[0-9a-f]{64}/.exec(stdout)?.[0] ?? '';
    const key_hash = `sha256:${createHash('sha256').update(key).digest('hex')}`;
    expect(stdout).toContain(`{ principal_id: "alice", key_hash: "${key_hash}", roles: [${roles}] }`);
  });

  it('refuses an unknown role', async () => {
    expect((await svc(['keys', 'new', 'alice', '--role', 'owner'])).status).toBe(2);
  });
});

describe('svc lint', () => {
  it('names file, line, key and remedy, and exits with 1', async () => {
    writeFileSync(
      join(folder, 'svc.yaml'),
      'providers:\n  local: { type: echo }\nroutes:\n  default:\n    provider: lokal\n    model: m\n',
    );
    const { status, stdout } = await svc(['lint', '--format', 'json']);
    expect(status).toBe(1);
    const errors = JSON.parse(stdout).diagnostics.filter(({ severity }: { severity: string }) => severity === 'error');
    expect(errors).toEqual([
      expect.objectContaining({ code: 'SVC-POL-002', line: 5, path: 'routes.default.provider', nearest: 'local' }),
    ]);
    expect((await svc(['lint'])).stdout).toContain('svc.yaml:5:');
    expect(svcProcess(['serve', '--port', '0']).status).toBe(1);
  });

  it('reports a missing file', async () => {
    const { status, stdout, stderr } = await svc(['lint', '--config', 'none.yaml']);
    expect(status).toBe(1);
    expect(stdout + stderr).toContain('none.yaml');
  });
});

describe('plugin packages from outside', () => {
  it('a good one guards a route', async () => {
    project('banned-words', { 'banned-words': { words: ['chartreuse'] } });
    expect(await svc(['lint'])).toMatchObject({ status: 0 });
    expect((await svc(['plugins', 'list'])).stdout).toMatch(/used\s+guard\s+banned-words/);
  });
});

describe('svc serve with several workers', () => {
  it('is refused in one line, before anything starts, if no runs-db is configured', () => {
    writeFileSync(join(folder, 'svc.yaml'), JSON.stringify(echoConfig({ server: { workers: 2 } })));
    const { status, stdout, stderr } = svcProcess(['serve', '--port', '0']);
    expect(status).toBe(1);
    expect(stdout).not.toContain('listening');
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(/server\.workers.*--runs-db/)]);
  });
});

describe('svc migrate', () => {
  it('creates no runs-db if there is none to copy', async () => {
    mkdirSync(join(folder, 'empty'));
    for (const from of ['empty', 'nowhere']) {
      const { status, stdout } = await svc(['migrate', 'lmdb-to-lmdb', '--from', from, '--to', 'copy']);
      expect([status, stdout]).toEqual([1, '']);
    }
    expect(readdirSync(folder)).toEqual(['empty']);
    expect(readdirSync(join(folder, 'empty'))).toEqual([]);
  });

  it('copies a folder, and says that a database cannot be reached without a stack or a password', async () => {
    const gateway = await TestGateway.start({ here: true, config: echoConfig() });
    try {
      await gateway.chat('hello');
      await gateway.stop();
      const from = join(gateway.folder, 'runs-db');
      const away = await svc(['migrate', 'lmdb-to-postgres', '--from', from, '--to', 'postgres://svc:secret@127.0.0.1:9/svc']);
      expect(away.status).toBe(1);
      expect(away.stderr.trim().split('\n')).toHaveLength(1);
      expect(away.stderr).not.toContain('secret');
      expect(await svc(['migrate', 'lmdb-to-lmdb', '--from', from, '--to', 'copy'])).toMatchObject({ status: 0, stderr: '' });
      expect(svcProcess(['ledger', 'verify', 'copy']).stdout).toBe(svcProcess(['ledger', 'verify', from]).stdout);
      expect((await svc(['migrate', 'lmdb-to-lmdb', '--from', from, '--to', from])).status).toBe(1);
    } finally {
      await gateway.dispose();
    }
  });
});

describe('a user who makes a mistake', () => {
  it('reads in one line that the configuration is missing, and how to create one', () => {
    const { status, stderr } = svcProcess(['serve', '--port', '0']);
    expect(status).toBe(1);
    expect(stderr).toContain('svc init');
  });

  it('gets the usage of any command', () => {
    expect(svcProcess(['lint', '--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('svc lint') });
  });

  it('reads that a server cannot be reached, without a stack trace', async () => {
    const { status, stderr } = await svc(['ledger', 'verify', 'http://127.0.0.1:9']);
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

it('the log tells the operator why a model call failed, and contains no text of users', async () => {
  const providers = { away: { type: 'openai', base_url: 'http://127.0.0.1:9/v1' } };
  const routes = { away: { provider: 'away', model: 'm', pipeline: { ingress: [], egress: [] } } };
  const gateway = await TestGateway.start({ config: echoConfig({ providers, routes }) });
  try {
    expect((await gateway.chat('a private text', { model: 'away' })).status).toBe(502);
    // The log is written after the answer.
    await gateway.until((output) => /provider_failed.*\n/.exec(output) ?? undefined);
    const line = gateway.output.split('\n').find((text) => text.includes('provider_failed'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      provider: 'away',
      kind: 'unavailable',
      status: null,
      reason: 'ECONNREFUSED',
    });
    expect(gateway.output).not.toContain('private text');
  } finally {
    await gateway.dispose();
  }
});

describe.skipIf(process.platform !== 'linux')('a server', () => {
  async function commandLine(env: Record<string, string>): Promise<string[]> {
    const gateway = await TestGateway.start({ config: echoConfig(), env });
    try {
      return readFileSync(`/proc/${gateway.pid}/cmdline`, 'utf8').split('\0');
    } finally {
      await gateway.dispose();
    }
  }

  it('has heap limits under the process id that it was started with', async () => {
    expect(await commandLine({ NODE_OPTIONS: '' })).toContain('--max-semi-space-size=16');
  });

  it('keeps heap flags that the operator chose', async () => {
    expect(await commandLine({ NODE_OPTIONS: '--max-semi-space-size=32' })).not.toContain('--max-semi-space-size=16');
  });
});
