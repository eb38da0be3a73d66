import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/packages');

interface ProjectOptions {
  /** Names of folders in test/fixtures/packages. */
  dependencies?: readonly string[];
  devDependencies?: readonly string[];
  /** `pnpm`: packages are in a separate store, and node_modules contains links. */
  layout?: 'flat' | 'pnpm';
}

export interface TestProject {
  directory: string;
  packageJson: string;
  /** Real folder of an installed fixture. */
  folderOf(fixture: string): string;
  write(path: string, content: string | Uint8Array): string;
}

const made: string[] = [];

/** For `afterEach`: removes every project of the test. */
export function removeProjects(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
}

/** A folder with a package.json and the fixture packages installed in it. */
export function makeProject({ dependencies = [], devDependencies = [], layout = 'flat' }: ProjectOptions = {}): TestProject {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'svc-project-')));
  made.push(directory);
  const modules = join(directory, 'node_modules');
  const folderOf = (fixture: string) =>
    layout === 'flat'
      ? join(modules, '@fixture', fixture)
      : join(modules, '.pnpm', `@fixture+${fixture}@1.0.0`, 'node_modules', '@fixture', fixture);
  for (const fixture of [...dependencies, ...devDependencies]) {
    cpSync(join(FIXTURES, fixture), folderOf(fixture), { recursive: true });
    if (layout === 'flat') continue;
    mkdirSync(join(modules, '@fixture'), { recursive: true });
    symlinkSync(folderOf(fixture), join(modules, '@fixture', fixture), 'junction');
  }
  const write = (path: string, content: string | Uint8Array) => {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  const versions = (fixtures: readonly string[]) =>
    Object.fromEntries(fixtures.map((fixture) => [`@fixture/${fixture}`, '1.0.0']));
  const manifest = { private: true, dependencies: versions(dependencies), devDependencies: versions(devDependencies) };
  return { directory, packageJson: write('package.json', JSON.stringify(manifest)), folderOf, write };
}
