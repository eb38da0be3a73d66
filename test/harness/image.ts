import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type Instruction, ignoredBy, type Stage, stagesOf } from './dockerfile.ts';
import { asGroup } from './process-group.ts';

/** Tools that this file needs outside the image. */
const TOOLS = ['unshare', 'nsenter', 'mount', 'chroot', 'setpriv', 'ip', 'dpkg-query'];
/** Commands of the base image: those of Debian's essential packages. */
const COMMANDS = '/commands';
/** The user that images of Node have. */
const NODE_USER = 1000;

/** Why no image can be built here; null if it can. Never a reason in CI. */
export function whyNoImage(): string | null {
  if (process.env.CI === 'true') return null;
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = TOOLS.filter((tool) => spawnSync('which', [tool]).status !== 0);
  return missing.length === 0 ? null : `needs ${missing.join(', ')}`;
}

/** What a container may do, as `docker run` has it. */
export interface RunOptions {
  /** Folders of this machine, by their path in the container. */
  readonly volumes?: Readonly<Record<string, string>>;
  readonly tmpfs?: readonly string[];
  readonly readOnly?: boolean;
}

interface Process extends RunOptions {
  readonly user?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Without a network but its own loopback interface. */
  readonly isAlone?: boolean;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * An image that is built without a container engine, from a base of Debian and Node. Its files are in folders of this machine. Each command runs in a
 * mount namespace, with the image as its root, and sees of this machine only `/usr`, which it cannot write.
 */
export class Image {
  readonly #root: string;
  readonly #local: string;
  readonly #ofBase: ReadonlySet<string>;
  readonly #config = new Map<string, string>();
  readonly #env: Record<string, string> = { PATH: `/usr/local/bin:${COMMANDS}` };
  #user = 0;
  #cwd = '/';

  private constructor(folder: string) {
    this.#root = join(folder, 'root');
    this.#local = join(folder, 'local');
    for (const name of ['etc', 'dev', 'proc', 'root', 'tmp', 'usr', 'var/lib', COMMANDS])
      mkdirSync(join(this.#root, name), { recursive: true });
    for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(this.#root, name));
    for (const name of ['hosts', 'ld.so.cache', 'nsswitch.conf', 'resolv.conf', 'ssl'])
      cpSync(join('/etc', name), join(this.#root, 'etc', name), { recursive: true, verbatimSymlinks: true });
    writeFileSync(
      join(this.#root, 'etc', 'passwd'),
      `root:x:0:0::/root:/bin/sh\nnode:x:${NODE_USER}:${NODE_USER}::/home/node:/bin/sh\n`,
    );
    writeFileSync(join(this.#root, 'etc', 'group'), `root:x:0:\nnode:x:${NODE_USER}:\n`);
    for (const path of essentialCommands()) symlinkSync(path, join(this.#root, COMMANDS, basename(path)));
    mkdirSync(join(this.#local, 'bin'), { recursive: true });
    mkdirSync(join(this.#local, 'lib', 'node_modules', 'npm'), { recursive: true });
    writeFileSync(join(this.#local, 'bin', 'node'), '');
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(this.#local, 'bin', 'npm'));
    this.#ofBase = new Set(this.#paths());
  }

  /**
   * Builds all stages of a Dockerfile.
   * @param context the folder of the build. @param folder an empty folder, for the files of the stages
   * @returns the stages in order; the last one is the image
   * @throws {Error} if a step fails
   */
  static build(dockerfile: string, context: string, folder: string): Image[] {
    const built = new Map<string, Image>();
    return stagesOf(readFileSync(dockerfile, 'utf8')).map((stage, i) => {
      const image = new Image(join(folder, `${i}`));
      image.#follow(stage, built, context);
      if (stage.name !== null) built.set(stage.name, image);
      return image;
    });
  }

  #follow({ instructions }: Stage, built: ReadonlyMap<string, Image>, context: string): void {
    for (const instruction of instructions) {
      const { name, flags, text } = instruction;
      if (name === 'RUN') this.#runStep(instruction);
      else if (name === 'COPY') this.#copy(text.split(/\s+/), flags, flags.from === undefined ? context : built.get(flags.from));
      else if (name === 'WORKDIR') {
        this.#cwd = text;
        mkdirSync(this.path(text), { recursive: true });
      } else if (name === 'USER') this.#user = Number(text.split(':')[0]);
      else if (name === 'ENV') for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) this.#env[key] = value;
      else this.#config.set(name, text);
    }
  }

  #runStep({ flags, text }: Instruction): void {
    const cache = /^type=cache,target=(.*)$/.exec(flags.mount ?? '')?.[1];
    const volumes = cache === undefined ? {} : { [cache]: npmCache() };
    // What an engine hands to each step.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([key]) => /^(npm_config_|node_extra_ca_certs|https?_proxy)/i.test(key)),
    );
    const { status, stdout, stderr } = this.#runSync(['sh', '-c', text], {
      user: this.#user,
      volumes,
      env: env as Record<string, string>,
    });
    if (status !== 0) throw new Error(`${text}\n${stdout}${stderr}`);
  }

  #copy(
    [source = '', target = '']: readonly string[],
    { chown = '0:0' }: Instruction['flags'],
    from: Image | string | undefined,
  ): void {
    // Copies of stages are hard links, because no step writes into a file that another one made.
    if (from === undefined) throw new Error('COPY --from names no earlier stage');
    const to = this.path(join(this.#cwd, target));
    mkdirSync(to, { recursive: true });
    if (typeof from === 'string') {
      const isIgnored = ignoredBy(readFileSync(join(from, '.dockerignore'), 'utf8'));
      cpSync(join(from, source), to, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !isIgnored(relative(from, path)),
      });
    } else execFileSync('cp', ['-alf', `${from.path(source)}/.`, to]);
    // Steps as root leave files of root.
    const owner = chown.replaceAll('root', '0').replaceAll('node', `${NODE_USER}`);
    if (typeof from === 'string' || owner !== '0:0') execFileSync('chown', ['-hR', owner, to]);
  }

  /** Where a path of the image is on this machine. */
  path(inside: string): string {
    return /^\/usr\/local(\/|$)/.test(inside) ? join(this.#local, inside.slice('/usr/local'.length)) : join(this.#root, inside);
  }

  /** The paths that its steps added to the base, on this machine. */
  added(): string[] {
    return this.#paths().filter((path) => !this.#ofBase.has(path));
  }

  /** The JSON array of an instruction such as CMD. For HEALTHCHECK, that of its CMD. */
  array(name: string): string[] {
    return JSON.parse(/\[.*\]$/.exec(this.#config.get(name) ?? '')?.[0] ?? '[]');
  }

  get user(): number {
    return this.#user;
  }

  /** `docker run` without `--detach`. */
  runSync(args: readonly string[], options: RunOptions, entrypoint = this.array('ENTRYPOINT')) {
    return this.#runSync([...entrypoint, ...args], { ...options, user: this.#user, isAlone: true });
  }

  /** `docker run --detach`: the returned process is the container's. */
  start(args: readonly string[], options: RunOptions): ChildProcess {
    const [command, entered] = this.#enter([...this.array('ENTRYPOINT'), ...args], {
      ...options,
      user: this.#user,
      isAlone: true,
    });
    return asGroup(spawn(command, entered, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  /** `docker exec`. */
  exec(container: ChildProcess, command: readonly string[]) {
    const args = ['--target', `${container.pid}`, '--mount', '--net', '--root', ...this.#asUser(command, { user: this.#user })];
    return spawnSync('nsenter', args, { encoding: 'utf8' });
  }

  #runSync(command: readonly string[], options: Process) {
    const [unshare, args] = this.#enter(command, options);
    return spawnSync(unshare, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  }

  #enter(command: readonly string[], options: Process): [string, string[]] {
    const { volumes = {}, tmpfs = [], readOnly = false, isAlone = false } = options;
    const at = (path: string) => quote(join(this.#root, path));
    const bind = (from: string, to: string, flags = '') => [
      `mount --bind ${quote(from)} ${at(to)}`,
      ...(flags === '' ? [] : [`mount -o remount,bind,${flags} ${at(to)}`]),
    ];
    const rest = readOnly ? 'ro' : '';
    for (const path of [...Object.keys(volumes), ...tmpfs]) mkdirSync(this.path(path), { recursive: true });
    const script = [
      'set -e',
      ...bind(this.#root, '/', rest),
      ...bind('/usr', '/usr', 'ro'),
      ...bind(this.#local, '/usr/local', rest),
      ...bind(process.execPath, '/usr/local/bin/node', 'ro'),
      ...bind(npmFolder(), '/usr/local/lib/node_modules/npm', 'ro'),
      ...['proc', 'dev'].map((name) => `mount --rbind /${name} ${at(name)}`),
      ...tmpfs.map((path) => `mount -t tmpfs -o mode=1777 tmpfs ${at(path)}`),
      ...Object.entries(volumes).flatMap(([to, from]) => bind(from, to)),
      ...(isAlone ? ['ip link set lo up'] : []),
      `exec chroot ${at('/')} ${this.#asUser(command, options).map(quote).join(' ')}`,
    ].join('\n');
    return ['unshare', ['--mount', ...(isAlone ? ['--net'] : []), 'sh', '-c', script]];
  }

  /** Without privileges, unless it is a step of the build as root. */
  #asUser(command: readonly string[], { user = 0, env = {} }: Process): string[] {
    const bare =
      user === 0 ? [] : [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs', '--bounding-set=-all'];
    const all = Object.entries({ HOME: user === 0 ? '/root' : '/home/node', ...this.#env, ...env }).map(
      ([key, value]) => `${key}=${value}`,
    );
    return [
      '/usr/bin/setpriv',
      ...bare,
      '/usr/bin/env',
      '-i',
      ...all,
      '/bin/sh',
      '-c',
      'cd "$1" && shift && exec "$@"',
      'sh',
      this.#cwd,
      ...command,
    ];
  }

  /** Each file once: unlike `readdirSync`, `find` does not follow links. */
  #paths(): string[] {
    const options = ['-mindepth', '1', '-print0'];
    return execFileSync('find', [this.#root, this.#local, ...options], { encoding: 'utf8', maxBuffer: 1e9 })
      .split('\0')
      .slice(0, -1);
  }
}

/** Gives a folder to the user of an image, as an engine does with a new volume, which begins with what the image has there. */
export function newVolume(folder: string, image: Image, path: string): void {
  const { uid, gid, mode } = lstatSync(image.path(path));
  mkdirSync(folder, { recursive: true, mode: mode & 0o777 });
  chownSync(folder, uid, gid);
}

const npmFolder = () => dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));

function npmCache(): string {
  const folder = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  return folder;
}

function essentialCommands(): string[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a format of dpkg-query
  const listed = execFileSync('dpkg-query', ['-W', '-f', '${Essential} ${Package}\\n'], { encoding: 'utf8' });
  const packages = [...listed.matchAll(/^yes (\S+)$/gm)].map(([, name = '']) => name);
  const files = execFileSync('dpkg-query', ['-L', ...packages], { encoding: 'utf8' });
  return [
    ...new Map(
      [...files.matchAll(/^(?:\/usr)?(\/s?bin\/([^/\n]+))$/gm)].map(([, path = '', name = '']) => [name, `/usr${path}`]),
    ).values(),
  ];
}
