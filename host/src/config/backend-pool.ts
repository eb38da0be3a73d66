import { errorName, type SecretsBackend } from '@svc/contracts';
import { Value } from 'typebox/value';
import { definitionOf, type PluginFactoryContext } from './create-plugin.ts';
import { withDefaults } from './defaults.ts';
import type { Path } from './diagnostic.ts';
import { type Environment, envBackend, fileBackend } from './secret-backends.ts';

/** The backends of `secret://` references, by name. Each is created once. */
export class BackendPool {
  readonly #factoryContext: PluginFactoryContext;
  readonly #backends: Map<string, SecretsBackend>;

  constructor(factoryContext: PluginFactoryContext, env: Environment) {
    this.#factoryContext = factoryContext;
    this.#backends = new Map([
      ['env', envBackend(env)],
      ['file', fileBackend(factoryContext.directory)],
    ]);
  }

  /** Null if there is no backend of that name, which is reported at `path`. */
  async backendOf(name: string, path: Path): Promise<SecretsBackend | null> {
    const backend = this.#backends.get(name) ?? (await this.#create(name, path));
    if (backend !== null) this.#backends.set(name, backend);
    return backend;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#backends.values()].map(async (backend) => backend.close?.()));
  }

  async #create(name: string, path: Path): Promise<SecretsBackend | null> {
    const { report, depsFor, directory } = this.#factoryContext;
    const found = await definitionOf('secrets', name, path, this.#factoryContext);
    if (found === null) return null;
    const { definition, entry } = found;
    const options = withDefaults(definition.options, {});
    let why = 'it cannot be created without options';
    try {
      if (Value.Check(definition.options, options)) return definition.create(options, depsFor.secrets(name, directory));
    } catch (error) {
      // Its message may contain a value.
      why = `its create threw ${errorName(error)}`;
    }
    report.error('SVC-POL-007', path, `${entry.package} ${entry.version} (${entry.file}): ${why}`);
    return null;
  }
}
