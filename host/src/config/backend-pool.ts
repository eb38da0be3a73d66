import { type AnySecretsBackend, errorMessage, errorName, isObject, type JsonObject, type SecretsBackend } from '@svc/contracts';
import { Value } from 'typebox/value';
import { createPlugin, definitionOf, isNotInstalled, type PluginFactoryContext } from './create-plugin.ts';
import { withDefaults } from './defaults.ts';
import type { Path } from './diagnostic.ts';
import { Secrets } from './resolve-secrets.ts';
import { BUILT_IN_BACKENDS, type Environment, envBackend, fileBackend } from './secret-backends.ts';
import { SecretsSchema } from './secrets-section.ts';
import { sectionOf } from './sections.ts';

/** The backends of `secret://` references, by name. Each is created once. */
export class BackendPool {
  readonly #factoryContext: PluginFactoryContext;
  readonly #configured: ReadonlyMap<string, JsonObject>;
  readonly #builtIn: ReadonlyMap<string, SecretsBackend>;
  readonly #backends = new Map<string, Promise<AnySecretsBackend | null>>();
  readonly #fingerprints = new Map<string, string>();

  /** @param section `secrets` of the file, with defaults */
  constructor(factoryContext: PluginFactoryContext, env: Environment, section: unknown) {
    this.#factoryContext = factoryContext;
    this.#configured = new Map([...sectionOf(SecretsSchema, section).repaired].filter(([, entry]) => isObject(entry)));
    this.#builtIn = new Map([
      ['env', envBackend(env)],
      ['file', fileBackend(factoryContext.directory)],
    ]);
  }

  /** The names in the section. */
  get configured(): readonly string[] {
    return [...this.#configured.keys()];
  }

  /** The fingerprints of the backends in the section that were created, by name. */
  get fingerprints(): ReadonlyMap<string, string> {
    return this.#fingerprints;
  }

  /** Null if there is no backend of that name, which is reported at `path`. */
  async backendOf(name: string, path: Path): Promise<AnySecretsBackend | null> {
    const backend = this.#builtIn.get(name);
    if (backend !== undefined) return backend;
    const created = this.#backends.get(name) ?? this.#create(name, path);
    this.#backends.set(name, created);
    return created;
  }

  /** The plugins that were created. */
  async opened(): Promise<readonly AnySecretsBackend[]> {
    return (await Promise.all(this.#backends.values())).filter((backend) => backend !== null);
  }

  async close(): Promise<void> {
    await Promise.allSettled((await this.opened()).map(async (backend) => backend.close?.()));
  }

  async #create(name: string, path: Path): Promise<AnySecretsBackend | null> {
    const entry = this.#configured.get(name);
    return entry === undefined ? this.#createPlain(name, path) : this.#createFrom(name, entry);
  }

  /** The options of a backend may refer to the built-in backends only: otherwise two could wait for each other. */
  async #createFrom(name: string, entry: JsonObject): Promise<AnySecretsBackend | null> {
    const { report, directory } = this.#factoryContext;
    const at = ['secrets', name];
    const backendOf = async (other: string, path: Path): Promise<SecretsBackend | null> => {
      const found = this.#builtIn.get(other) ?? null;
      if (found === null)
        report.error('SVC-POL-008', path, `the options of a backend may refer only to ${BUILT_IN_BACKENDS.join(' and ')}`);
      return found;
    };
    const secrets = new Secrets({ report, directory, backendOf });
    const created = await createPlugin('secrets', name, entry, at, { ...this.#factoryContext, secrets });
    if (created === null) return null;
    this.#fingerprints.set(name, created.fingerprint);
    return created.instance;
  }

  /** A plugin whose type is the name, and that needs no options. */
  async #createPlain(name: string, path: Path): Promise<AnySecretsBackend | null> {
    const { report, depsFor, directory } = this.#factoryContext;
    const found = await definitionOf('secrets', name, path, this.#factoryContext);
    if (found === null) return null;
    const { definition, entry } = found;
    const options = withDefaults(definition.options, {});
    let why = 'it has required options';
    try {
      if (Value.Check(definition.options, options)) return definition.create(options, depsFor.secrets(name, directory));
    } catch (error) {
      if (isNotInstalled(error)) {
        report.error('SVC-POL-007', path, `${entry.package}: ${errorMessage(error)}`);
        return null;
      }
      // Its message may contain a value.
      why = `its create() threw ${errorName(error)}`;
    }
    const remedy = `add it to the section secrets, with its options`;
    report.error('SVC-POL-007', path, `${entry.package} ${entry.version} (${entry.file}): ${why}; ${remedy}`);
    return null;
  }
}
