import { join } from 'node:path';
import type { GuardDeps, Logger } from '@svc/contracts';
import { makeProject, type TestProject } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { type LoadOptions, type LoadResult, loadConfig } from './load.ts';

function depsFor(name: string, directory: string, logger: Logger): GuardDeps {
  return {
    name,
    directory,
    logger,
    clock: { now: () => 0, monotonic: () => 0 },
    fetch,
    counters: { reserve: async () => ({ granted: true }), read: async (keys) => keys.map(() => 0) },
    openNamespace: () => ({ retrieve: async () => [] }),
  };
}

export interface TestOptions extends Partial<Pick<LoadOptions, 'env' | 'resolveSecrets' | 'former'>> {
  /** Fixture packages that the operator's package.json depends on. */
  installed?: readonly string[];
  /** Fixture packages that the host's package.json depends on. */
  builtIn?: readonly string[];
  /** Folder of the configuration, below the folder with the package.json. */
  folder?: string;
  /** Further preparation of the operator's folder before the file is loaded. */
  prepare?: (project: TestProject) => void;
}

/** Writes the text as svc.yaml of a new operator's project and loads it. */
export async function load(
  text: string | Uint8Array,
  options: TestOptions = {},
): Promise<LoadResult & { file: string; project: TestProject; closed: string[] }> {
  const {
    installed = ['banned-words', 'parrot'],
    builtIn = [],
    prepare,
    env = {},
    resolveSecrets = true,
    folder = '.',
    former,
  } = options;
  const host = makeProject({ dependencies: builtIn });
  const project = makeProject({ dependencies: installed });
  prepare?.(project);
  const file = project.write(join(folder, 'svc.yaml'), text);
  const closed: string[] = [];
  const logger: Logger = {
    debug() {},
    info: (fields) => closed.push(String(Reflect.get(fields, 'name'))),
    warn() {},
    error() {},
  };
  const deps = (name: string, directory: string) => depsFor(name, directory, logger);
  const registry = {
    plugins: [
      { package: '@svc/guard-pii', kind: 'guard', type: 'pii', apiVersion: 1, description: '' },
      { package: '@svc/exporter-jsonl', kind: 'exporter', type: 'jsonl', apiVersion: 1, description: '' },
    ],
  } satisfies LoadOptions['registry'];
  const result = await loadConfig(file, {
    hostPackageJson: host.packageJson,
    registry,
    depsFor: { guard: deps, provider: deps, exporter: deps, vectors: deps, embedder: deps, secrets: deps, protocol: deps },
    logger,
    env,
    resolveSecrets,
    ...(former === undefined ? {} : { former }),
  });
  return { ...result, file, project, closed };
}

/** `<code> <severity> <line>:<column> <path>` of each finding. */
export function brief({ diagnostics }: Pick<LoadResult, 'diagnostics'>): string[] {
  return diagnostics.map(({ code, severity, line, column, path }) => `${code} ${severity} ${line}:${column} ${path}`);
}
