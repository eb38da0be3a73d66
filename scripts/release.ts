// `npm run release -- version 2.0.0` sets the version everywhere. `npm run release` makes the files of a release in a folder and prints how to
// publish them. With `--dry-run`, uncommitted changes are permitted, and the wheel may be missing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseNotes } from './release-notes.ts';
import { type Packed, PUBLISHED, packPublished } from './release-pack.ts';
import { provenanceOf, type Source } from './release-provenance.ts';
import { sbomOf } from './release-sbom.ts';
import { setVersion, versionOf, versionProblems } from './release-versions.ts';
import { buildWheel } from './release-wheel.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

export interface Release {
  /** In the order in which they must be published. */
  readonly packed: readonly Packed[];
  /** Why there is no wheel, in a dry run; null if there is one. */
  readonly no_wheel: string | null;
}

/**
 * Makes the files of a release: tarballs, wheel, release notes, SBOM, provenance and checksums.
 * @param out an empty folder
 * @throws {Error} if something that a release needs is missing
 */
export async function makeRelease(out: string, dry_run: boolean): Promise<Release> {
  const started = new Date();
  const version = versionOf(ROOT);
  const problems = versionProblems(ROOT);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const notes = releaseNotes(read('CHANGELOG.md'), version);
  const [commit = '', epoch] = git('log', '-1', '--format=%H %ct').split(' ');
  const modified = git('status', '--porcelain') !== '';
  if (modified && !dry_run) throw new Error('commit all changes first: a release is made from a commit');
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) throw new Error(`${out} is not empty`);
  // The packages contain types.
  execFileSync(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'], { cwd: ROOT, stdio: 'inherit' });
  const [packed, no_wheel] = await Promise.all([
    packPublished(out),
    buildWheel(ROOT, out, Number(epoch)).then(
      () => null,
      (error: unknown) => {
        if (!dry_run) throw error;
        return error instanceof Error ? error.message : String(error);
      },
    ),
  ]);
  const lock = read('package-lock.json');
  const made_at = new Date(Number(epoch) * 1000).toISOString();
  const write = (name: string, text: string): void => writeFileSync(join(out, name), text);
  write('RELEASE_NOTES.md', `${notes}\n`);
  write(`svc-${version}.cdx.json`, `${JSON.stringify(sbomOf(JSON.parse(lock), PUBLISHED, version, made_at), null, 2)}\n`);
  const digests = new Map(readdirSync(out).map((name) => [name, sha256(readFileSync(join(out, name)))]));
  const source: Source = { version, commit, modified, lock: sha256(lock) };
  const provenance = `svc-${version}.provenance.json`;
  write(provenance, `${JSON.stringify(provenanceOf(source, digests, started, new Date()), null, 2)}\n`);
  digests.set(provenance, sha256(readFileSync(join(out, provenance))));
  write('SHA256SUMS', [...digests].map(([name, digest]) => `${digest}  ${name}\n`).join(''));
  return { packed, no_wheel };
}

/** The commands that publish a release, in order. */
function publishing(out: string, { packed, no_wheel }: Release): string[] {
  const version = versionOf(ROOT);
  const tag = version.includes('-') ? 'next' : 'latest';
  return [
    `git tag -s v${version} && git push origin v${version}`,
    // npm takes FOLDER/FILE without `./` for a repository of GitHub.
    ...packed.map(({ tarball }) => `npm publish ./${join(out, basename(tarball))} --provenance --tag ${tag}`),
    no_wheel === null ? `twine upload ${join(out, '*.whl')}` : `# no wheel: ${no_wheel.split('\n', 1)[0]}`,
  ];
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false }, out: { type: 'string', default: join(ROOT, 'release') } },
  });
  const [what, version] = positionals;
  if (what === 'version' && version !== undefined) {
    setVersion(ROOT, version);
    execFileSync('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: ROOT,
      stdio: 'inherit',
    });
    console.log(`set ${version}; now run npm run openapi, and add the section to CHANGELOG.md`);
  } else if (what === undefined) {
    const out = resolve(values.out);
    const release = await makeRelease(out, values['dry-run']).catch((error: unknown) => {
      console.error(`release: ${error instanceof Error ? error.message : error}`);
      process.exit(1);
    });
    console.log(`made ${readdirSync(out).length} files in ${relative('.', out)}. To publish them, run:`);
    for (const command of publishing(relative('.', out), release)) console.log(`  ${command}`);
  } else {
    console.error('usage: npm run release -- [--dry-run] [--out FOLDER], or npm run release -- version VERSION');
    process.exitCode = 2;
  }
}
