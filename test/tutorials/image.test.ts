import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fencesOf, ROOT } from '../docs/fences.ts';
import { stagesOf } from '../harness/dockerfile.ts';
import { Image, newVolume, type RunOptions, whyNoImage } from '../harness/image.ts';
import { killGroup } from '../harness/process-group.ts';

const DOCKERFILE = join(ROOT, 'deploy', 'Dockerfile');
const MAX_MB = 105;
const why = whyNoImage();
if (why !== null) console.warn(`image: skipped because it ${why}`);

/** The `docker run` and `docker exec` commands of the README, each as words. */
const commands = fencesOf('README.md')
  .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
  .filter((line) => /^docker (run|exec) /.test(line))
  .map((line) => line.split(/\s+/).slice(1));

/** Flags of `docker run` that have a value, and those that have none. */
const VALUED = ['--cap-drop', '--name', '--publish', '--security-opt', '--stop-timeout', '--tmpfs', '--volume'];
const PLAIN = ['--detach', '--init', '--read-only', '--rm'];

/** What a `docker run` of the README says. */
function readRun([, ...words]: readonly string[]) {
  const flags: [string, string][] = [];
  while (words[0]?.startsWith('--')) {
    const flag = words.shift() ?? '';
    expect([...VALUED, ...PLAIN]).toContain(flag);
    flags.push([flag, VALUED.includes(flag) ? (words.shift() ?? '') : '']);
  }
  const of = (name: string) => flags.filter(([flag]) => flag === name).map(([, value]) => value);
  const volumes = of('--volume').map((value) => value.split(':') as [string, string]);
  return { of, volumes, image: words[0], args: words.slice(1) };
}

describe.skipIf(why !== null)('the image', { timeout: 600_000 }, () => {
  let folder: string;
  let stages: Image[];
  let image: Image;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-image-'));
    stages = Image.build(DOCKERFILE, ROOT, folder);
    image = stages.at(-1) as Image;
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The named volumes of the README, as folders. */
  function optionsOf(run: ReturnType<typeof readRun>): RunOptions {
    const volumes = run.volumes.map(([name, path]) => {
      const home = join(folder, 'volumes', name);
      newVolume(home, image, path);
      return [path, home] as const;
    });
    return { volumes: Object.fromEntries(volumes), tmpfs: run.of('--tmpfs'), readOnly: run.of('--read-only').length > 0 };
  }

  async function serving(args: readonly string[], options: RunOptions): Promise<{ container: ChildProcess; lines: string[] }> {
    const container = image.start(args, options);
    onTestFinished(() => killGroup(container));
    const lines: string[] = [];
    container.stderr?.on('data', (data: Buffer) => lines.push(data.toString()));
    const reader = createInterface({ input: container.stdout as NodeJS.ReadableStream });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    container.once('exit', () => reject(new Error(`ended: ${lines.join('\n')}`)));
    reader.on('line', (line) => {
      lines.push(line);
      if (line.includes('"event":"listening"')) resolve();
    });
    await promise;
    return { container, lines };
  }

  it('installs the dependencies in a layer that changes only with the manifests', () => {
    const [manifests, dependencies] = stagesOf(readFileSync(DOCKERFILE, 'utf8'));
    expect([manifests?.name, dependencies?.name]).toEqual(['manifests', 'dependencies']);
    expect(dependencies?.instructions.filter(({ name }) => name === 'COPY').map(({ flags }) => flags.from)).toEqual([
      'manifests',
    ]);
    const files = stages[0]?.added().filter((path) => relative(folder, path).includes('/manifests/') && lstatSync(path).isFile());
    expect(new Set(files?.map((path) => basename(path)))).toEqual(new Set(['package.json', 'package-lock.json']));
  });

  it(`adds at most ${MAX_MB} MB to its base, without development tools, sources and types`, () => {
    const inside = (path: string) => relative(image.path('/usr/local/lib/svc'), path);
    const added = image.added().map((path) => ({ path, stat: lstatSync(path) }));
    const files = added.filter(({ stat }) => stat.isFile());
    const mb = files.reduce((sum, { stat }) => sum + stat.size, 0) / 1e6;
    expect(mb).toBeGreaterThan(20);
    expect(mb).toBeLessThanOrEqual(MAX_MB);
    const unwanted =
      /node_modules\/(esbuild|typescript|vitest|node-linux-\w+)\/|\.(map|ts|mts|cts)$|^(host|kernel\/[^/]+|plugins\/[^/]+)\/src\//;
    const isTemplate = (path: string) => path.startsWith('host/templates/');
    const names = files.map(({ path }) => inside(path));
    expect(names.filter((path) => unwanted.test(path) && !isTemplate(path))).toEqual([]);
    // `svc plugins new` copies them.
    const templates = readdirSync(join(ROOT, 'host', 'templates'), { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    expect(names.filter(isTemplate).toSorted()).toEqual(
      templates.map((one) => relative(ROOT, join(one.parentPath, one.name))).toSorted(),
    );
    expect(added.filter(({ path, stat }) => stat.isSymbolicLink() && !existsSync(path)).map(({ path }) => inside(path))).toEqual(
      [],
    );
    // The gateway cannot change its own program.
    const own = files.filter(({ path }) => !inside(path).startsWith('..'));
    expect(own.filter(({ stat }) => stat.uid !== 0 || (stat.mode & 0o022) !== 0)).toEqual([]);
    expect(image.user).toBe(1000);
  });

  it("serves with the README's commands: on empty volumes, without privileges, with a read-only root", async () => {
    const [init, serve, show] = commands;
    const first = readRun(init ?? []);
    const written = image.runSync(first.args, optionsOf(first));
    expect(written.status, written.stderr).toBe(0);
    const run = readRun(serve ?? []);
    expect(run.of('--cap-drop')).toEqual(['ALL']);
    expect(run.of('--security-opt')).toEqual(['no-new-privileges']);
    const options = optionsOf(run);
    expect(options).toMatchObject({ readOnly: true, tmpfs: ['/tmp'] });
    const { container, lines } = await serving(run.args.length > 0 ? run.args : image.array('CMD'), options);
    const shown = image.exec(container, (show ?? []).slice(2));
    expect(shown.stdout, shown.stderr).toMatch(/^\S{20,}\n$/);
    const probe = image.exec(container, image.array('HEALTHCHECK'));
    expect(probe.status, probe.stderr).toBe(0);
    const chat = `
      const headers = { authorization: 'Bearer ${shown.stdout.trim()}', 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: 'Pay from account 1234-5678-9012.' }] });
      const answer = await fetch('http://127.0.0.1:8000/v1/chat/completions', { method: 'POST', headers, body });
      console.log((await answer.json()).choices[0].message.content);`;
    const answered = image.exec(container, ['node', '--input-type=module', '--eval', chat]);
    expect(answered.stdout, answered.stderr).toBe('echo: Pay from account <ACCOUNT>.\n');
    const touched = ['/etc/x', '/usr/local/lib/svc/x', '/x', '/tmp/x', '/var/lib/svc/x'].map(
      (path) => image.exec(container, ['touch', path]).status,
    );
    expect(touched).toEqual([1, 1, 1, 0, 0]);
    expect(image.exec(container, ['sh', '-c', 'id -u; grep CapBnd /proc/self/status']).stdout).toBe(
      '1000\nCapBnd:\t0000000000000000\n',
    );
    const exit = once(container, 'exit');
    container.kill('SIGTERM');
    expect((await exit)[0], lines.join('\n')).toBe(0);
    expect(readdirSync(join(folder, 'volumes', 'svc-data'))).toContain('runs-db');
  });

  it('its health check fails while nothing serves', () => {
    const [node = '', ...args] = image.array('HEALTHCHECK');
    expect(image.runSync(args, {}, [node]).status).toBe(1);
  });
});
