import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { pep440 } from '@svc/kernel/version';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRelease, type Release } from '../../scripts/release.ts';
import { type Packed, PUBLISHED, pack } from '../../scripts/release-pack.ts';
import { versionOf } from '../../scripts/release-versions.ts';
import { fencesOf } from '../docs/fences.ts';
import { MAIN } from '../harness/gateway.ts';
import { linkModules } from '../harness/linked-modules.ts';
import { listeningUrl } from '../harness/listening.ts';
import { skipsPython } from '../harness/python.ts';
import { until } from '../harness/until.ts';
import { faultsOf } from '../outside/packed.ts';
import { stopAtOnce } from '../outside/stop-at-once.ts';
import { followTutorial } from '../outside/tutorial.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const FOREIGN = ['guard-tickets', 'exporter-tally'].map((name) => join(ROOT, 'test', 'fixtures', 'foreign', name));

const { packages: LOCKED } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));

/** Of installing from a registry, on a slow line. */
const LONG = 300_000;
const npm = (args: string[], cwd: string) => run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd });

let folder: string;
let release: Release;
let packed: readonly Packed[];
let foreign: Packed[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-outside-'));
  release = await makeRelease(join(folder, 'release'), true);
  packed = release.packed;
  mkdirSync(join(folder, 'foreign'));
  foreign = await Promise.all(FOREIGN.map((name) => pack(name, join(folder, 'foreign'))));
}, LONG);
afterAll(() => rmSync(folder, { recursive: true, force: true }), LONG);

/** Each package is its tarball, wherever it is asked for. */
const tarballs = (): Record<string, string> =>
  Object.fromEntries([...packed, ...foreign].map(({ name, tarball }) => [name, `file:${tarball}`]));

describe('packages as they are published', () => {
  it.each(PUBLISHED)('%s has no findings', { timeout: 120_000 }, async (name) => {
    const one = packed.find((candidate) => candidate.folder === join(ROOT, name));
    expect(one).toBeDefined();
    expect(one && (await faultsOf(one))).toEqual([]);
  });
});

describe('the dry run of a release', () => {
  const out = (name: string) => readFileSync(join(folder, 'release', name));
  const version = versionOf(ROOT);

  it('makes each package, the wheel and the notes, and lists all files with their checksums', () => {
    const sums = out('SHA256SUMS')
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  '));
    for (const [digest = '', name = ''] of sums) expect(createHash('sha256').update(out(name)).digest('hex')).toBe(digest);
    const names = sums.map(([, name]) => name);
    expect([...names, 'SHA256SUMS'].sort()).toEqual(readdirSync(join(folder, 'release')).sort());
    expect(names.filter((name) => name?.endsWith(`-${version}.tgz`))).toHaveLength(PUBLISHED.length);
    expect(out('RELEASE_NOTES.md').toString()).toMatch(/^### Upgrade$/m);
    if (skipsPython('the wheel')) return;
    expect(release.no_wheel).toBeNull();
    expect(names).toContain(`svc_client-${pep440(version)}-py3-none-any.whl`);
  });

  it('publishes a package after those that it depends on', () => {
    const order = packed.map(({ name }) => name);
    for (const { name, folder } of packed) {
      const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      for (const other of Object.keys(dependencies).filter((one) => one.startsWith('@svc/')))
        expect([name, other, order.indexOf(other) < order.indexOf(name)]).toEqual([name, other, true]);
    }
  });

  it('lists in the SBOM what serving installs, with hashes, and nothing of the tests', () => {
    const { components, dependencies, ...head } = JSON.parse(out(`svc-${version}.cdx.json`).toString());
    expect(head).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { name: 'svc', version } } });
    const names = new Set(components.map(({ name }: { name: string }) => name));
    for (const name of ['@svc/host', 'undici', 'lmdb', 'yaml', 'pg']) expect(names).toContain(name);
    for (const name of ['vitest', 'esbuild', 'openai', '@svc/test-clients']) expect(names).not.toContain(name);
    const outside = components.filter(({ name }: { name: string }) => !name.startsWith('@svc/'));
    for (const { name, hashes, licenses } of outside)
      expect([name, hashes, licenses]).toEqual([
        name,
        [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
        expect.any(Array),
      ]);
    const refs = new Set(dependencies.map(({ ref }: { ref: string }) => ref));
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
  });

  it('says in the provenance what was made, from which commit', () => {
    const { subject, predicate, ...statement } = JSON.parse(out(`svc-${version}.provenance.json`).toString());
    expect(statement).toEqual({ _type: 'https://in-toto.io/Statement/v1', predicateType: 'https://slsa.dev/provenance/v1' });
    expect(subject.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(packed.map(({ tarball }) => basename(tarball))),
    );
    const [source] = predicate.buildDefinition.resolvedDependencies;
    expect(source.digest.gitCommit).toMatch(/^[0-9a-f]{40}$/);
  });
});

/** An author's folder with the SDK alone. */
it('@svc/sdk brings the contracts, the protocols and typebox, and nothing else', { timeout: LONG }, async () => {
  const author = join(folder, 'author');
  mkdirSync(author);
  const ours = tarballs();
  const dependencies = { '@svc/sdk': ours['@svc/sdk'] };
  const own = ['@svc/contracts', '@svc/protocols'];
  const overrides = Object.fromEntries(own.map((name) => [name, ours[name]]));
  writeFileSync(join(author, 'package.json'), JSON.stringify({ name: 'author', private: true, dependencies, overrides }));
  await npm(['install'], author);
  const modules = join(author, 'node_modules');
  // What npm notes of all that it has installed, nested packages too.
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  expect(Object.keys(packages).sort()).toEqual([...own, '@svc/sdk', 'typebox'].map((name) => `node_modules/${name}`));
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(modules, name)));
  const megabytes = files.filter((file) => file.isFile()).reduce((sum, { size }) => sum + size, 0) / 1_000_000;
  console.info(`@svc/sdk installs ${Object.keys(packages).length} packages, ${megabytes.toFixed(1)} MB`);
  expect(megabytes).toBeLessThan(4.5);
});

/** An operator's project beside two plugins of others, written by hand as an operator does. */
function project(name: string, installed: readonly Packed[]): string {
  const project = join(folder, name);
  mkdirSync(project);
  const ours = tarballs();
  const dependencies = Object.fromEntries(installed.map((one) => [one.name, ours[one.name]]));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'operator', private: true, type: 'module', dependencies }));
  writeFileSync(
    join(project, 'svc.yaml'),
    `
providers: { local: { type: echo } }
packs:
  tickets: {}
  ask: { type: tickets, ask: true }
routes:
  default: { provider: local, model: echo-1, pipeline: { ingress: [tickets], egress: [tickets] } }
  careful: { provider: local, model: echo-1, pipeline: { ingress: [ask], egress: [] } }
exporters:
  - { type: tally, path: ./tally.json }
`,
  );
  return project;
}

/** Starts the gateway in a project, asks it, and ends it. */
async function serving(svc: readonly string[], project: string, ask: (url: string) => Promise<void>): Promise<void> {
  stopAtOnce(join(project, 'svc.yaml'));
  const [command = '', ...words] = svc;
  const child = spawn(command, [...words, '--port', '0', '--runs-db', 'runs-db'], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said += data.toString();
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said += `${line}\n`;
      const listening = listeningUrl(line);
      if (listening !== undefined) resolve(listening);
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  try {
    await ask(url);
  } finally {
    const ended = once(child, 'exit');
    child.kill();
    expect(await ended).toEqual([0, null]);
  }
}

/** Asks a gateway that serves the project. */
async function askServerIn(project: string, svc: string): Promise<void> {
  await serving([svc, 'serve', '--no-auth'], project, async (url) => {
    const chat = async (model: string, content: string) => {
      const body = JSON.stringify({ model, messages: [{ role: 'user', content }] });
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return ((await answer.json()) as { choices: unknown[] }).choices[0];
    };
    expect(await chat('default', 'about T-1234')).toMatchObject({ message: { content: 'echo: about <TICKET>' } });
    expect(await chat('careful', 'about T-1234')).toMatchObject({ finish_reason: 'content_filter' });
    const report = await fetch(`${url}/v1/audit/report`);
    const { chain_length } = (await report.json()) as { chain_length: number };
    const tally = () => JSON.parse(readFileSync(join(project, 'tally.json'), 'utf8')).seq;
    // Each look waits for the server.
    await until(() => tally() >= chain_length);
  });
}

describe('installed globally from the tarballs', { timeout: LONG }, () => {
  const svc = () => join(folder, 'global', 'bin', 'svc');
  beforeAll(async () => {
    // A tarball's dependencies are installed in its own folder. With this one beside them, there are 18,000 files instead of 88,000.
    const shared = `typebox@${LOCKED['node_modules/typebox'].version}`;
    const tarballs = packed.map(({ tarball }) => tarball);
    await npm(['install', '--global', '--prefix', join(folder, 'global'), ...tarballs, shared], folder);
  }, LONG);

  it('`svc init && svc serve` works in an empty folder', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    await run(svc(), ['init'], { cwd: empty });
    await serving([svc(), 'serve'], empty, async (url) => {
      const authorization = `Bearer ${readFileSync(join(empty, 'svc.key'), 'utf8').trim()}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: 'Account 1234-5678-9012' }] });
      const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
      expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'echo: Account <ACCOUNT>' } }] });
    });
  });

  it('third-party plugins of a project are found, listed and linted, and traffic goes through both', async () => {
    const operator = project('by-npm', foreign);
    const file = join(operator, 'package.json');
    const ours = tarballs();
    const own = ['@svc/sdk', '@svc/contracts', '@svc/protocols'];
    const overrides = Object.fromEntries(own.map((name) => [name, ours[name]]));
    // What a registry does: packages that others of ours depend on are found by their names.
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), overrides }));
    await npm(['install'], operator);
    const ran = (...args: string[]) => run(svc(), args, { cwd: operator });
    const { plugins } = JSON.parse((await ran('plugins', 'list', '--format', 'json')).stdout);
    const outside = plugins.filter(({ builtIn }: { builtIn: boolean }) => !builtIn);
    expect(outside.map((plugin: { type: string; state: string }) => `${plugin.type} ${plugin.state}`).sort()).toEqual([
      'tally used',
      'tickets used',
    ]);
    await ran('plugins', 'pin');
    await ran('lint');
    await askServerIn(operator, svc());
  });
});

describe('installed in an empty folder beside third-party plugins', { timeout: LONG }, () => {
  it('by pnpm, whose folders are symbolic links', async () => {
    const installed = project('by-pnpm', [...packed.filter((one) => one.name === '@svc/host'), ...foreign]);
    const tool = join(folder, 'pnpm');
    await npm(['install', '--prefix', tool, 'pnpm@12.21.0'], folder);
    const settings = { overrides: tarballs(), dangerouslyAllowAllBuilds: true };
    writeFileSync(join(installed, 'pnpm-workspace.yaml'), JSON.stringify(settings));
    await run(join(tool, 'node_modules', '.bin', 'pnpm'), ['install'], { cwd: installed });
    await askServerIn(installed, join(installed, 'node_modules', '.bin', 'svc'));
  });
});

/** Its licence and how it is published are its author's. */
async function faultsOfNew(fresh: string): Promise<string[]> {
  return (await faultsOf(await pack(fresh, folder))).filter((fault) => !/LICENSE|provenance/.test(fault));
}

/**
 * A clone of this state with the installed modules and the build, but without types: `svc plugins new` makes those. `.ci/run` and
 * deploy/Dockerfile build from nothing. The copies keep their times, by which the build knows that it is current.
 */
async function freshClone(to: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const { files } = JSON.parse(readFileSync(join(ROOT, 'node_modules', '.svc-build.json'), 'utf8'));
  const names = [...stdout.split('\0'), ...files].filter((name) => name !== '' && existsSync(join(ROOT, name)));
  mkdirSync(to, { recursive: true });
  const copying = run('xargs', ['-0', 'cp', '-a', '--parents', '-t', to], { cwd: ROOT });
  copying.child.stdin?.end(names.join('\0'));
  await copying;
  linkModules(to);
}

/** A plugin of the type `first` in a configuration. */
const FIRST = [
  ['exporter', { exporters: [{ type: 'first', path: './records.jsonl' }] }],
  ['provider', { providers: { local: { type: 'first', url: 'http://127.0.0.1:9/ask' } } }],
] as const;

/** A gateway with a new plugin, linked as pnpm does, starts and stops: one that it cannot use keeps it from starting. */
async function serveWith(fresh: string, name: string, section: object): Promise<void> {
  const operator = join(folder, 'operators', name);
  mkdirSync(join(operator, 'node_modules', dirname(name)), { recursive: true });
  symlinkSync(fresh, join(operator, 'node_modules', name));
  writeFileSync(join(operator, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: '0.1.0' } }));
  const routes = { default: { provider: 'local', model: 'm' } };
  writeFileSync(join(operator, 'svc.yaml'), JSON.stringify({ providers: { local: { type: 'echo' } }, routes, ...section }));
  await run(process.execPath, [MAIN, 'plugins', 'pin'], { cwd: operator });
  await serving([process.execPath, MAIN, 'serve', '--no-auth'], operator, async (url) => {
    expect((await fetch(`${url}/readyz`)).status).toBe(204);
  });
}

describe('svc plugins new', { timeout: LONG }, () => {
  const home = () => join(folder, 'new');
  beforeAll(async () => {
    mkdirSync(home());
    for (const [kind] of FIRST)
      await run(process.execPath, [MAIN, 'plugins', 'new', kind, `@acme/svc-${kind}-first`], { cwd: home() });
    // As a registry will have them; this is a clone. One installation is for all.
    const overrides = Object.fromEntries(
      ['@svc/sdk', '@svc/contracts', '@svc/protocols'].map((name) => [name, tarballs()[name]]),
    );
    writeFileSync(join(home(), 'package.json'), JSON.stringify({ private: true, workspaces: ['svc-*'], overrides }));
    await npm(['install'], home());
  }, LONG);

  it.each(FIRST)('a new %s builds, its tests pass, and a gateway serves with it', async (kind, section) => {
    const name = `@acme/svc-${kind}-first`;
    const fresh = join(home(), `svc-${kind}-first`);
    await npm(['run', 'check'], fresh);
    const { stdout } = await npm(['test'], fresh);
    expect(stdout).toMatch(/^ℹ fail 0$/m);
    expect(Number(/^ℹ pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(7);
    expect(await faultsOfNew(fresh)).toEqual([]);
    await serveWith(fresh, name, section);
  });

  it('docs/writing-a-plugin.md: a new guard is tested, changed, installed, pinned and used', async () => {
    const home = join(folder, 'tutorial');
    await freshClone(join(home, 'svc'));
    const [whole = '', streamed = ''] = (await followTutorial(home)).slice(-2);
    const says = 'echo: Badge <BADGE> was lost.';
    expect(JSON.parse(whole).choices[0].message.content).toBe(says);
    const frames = [...streamed.matchAll(/^data: (\{.*)$/gm)].map(([, frame = '']) => JSON.parse(frame));
    expect(frames.length).toBeGreaterThan(1);
    expect(frames.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(says);
    expect(streamed).toContain('data: [DONE]');
    const fresh = join(home, 'gateway', 'svc-guard-badge');
    await npm(['run', 'check'], fresh);
    expect(await faultsOfNew(fresh)).toEqual([]);
    const { name, svc } = JSON.parse(readFileSync(join(fresh, 'package.json'), 'utf8'));
    const [{ entry: _entry, ...plugin }] = svc.plugins;
    const listed = fencesOf('docs/writing-a-plugin.md').find(({ language }) => language === 'json');
    expect(JSON.parse(listed?.text ?? '')).toMatchObject({ package: name, ...plugin, apiVersion: svc.apiVersion });
    expect(readFileSync(join(home, 'gateway', 'svc.yaml'), 'utf8')).toMatch(
      /^plugins:\n {2}"?@acme\/svc-guard-badge"?: sha512-/m,
    );
    // sdk/toolkit/README.md goes on from there.
    await npm(['install', join(home, 'svc', 'sdk', 'toolkit')], fresh);
    for (const { mark, text } of fencesOf('sdk/toolkit/README.md')) writeFileSync(join(fresh, mark), text);
    rmSync(join(fresh, 'src', 'stream.ts'));
    await npm(['run', 'check'], fresh);
    expect((await npm(['test'], fresh)).stdout).toMatch(/^ℹ fail 0$/m);
  });

  it('in a clone uses the SDK of the clone: the printed line works when pasted', async () => {
    const home = join(folder, 'new-in-clone');
    mkdirSync(home);
    const { stdout } = await run(process.execPath, [MAIN, 'plugins', 'new', 'guard', 'first'], { cwd: home });
    const next = /^next: (.*)$/m.exec(stdout)?.[1] ?? '';
    expect(next).toContain('&& npm test');
    const { dependencies } = JSON.parse(readFileSync(join(home, 'first', 'package.json'), 'utf8'));
    expect(dependencies['@svc/sdk']).toBe(`^${versionOf(ROOT)}`);
    expect((await run('sh', ['-ec', next], { cwd: home })).stdout).toMatch(/^ℹ fail 0$/m);
  });
});
