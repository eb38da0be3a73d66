import type { LanguageModelV4 } from '@ai-sdk/provider';
import { isProviderError, type PluginDeps } from '@svc/sdk';
import { importPackage } from './import-package.ts';
import type { AiSdkOptions } from './options.ts';
import { PackageError } from './package-error.ts';

type Factory = (settings: Readonly<Record<string, unknown>>) => unknown;
type OpenModel = (id: string) => unknown;

/** The supported version of the AI SDK's language model specification. */
const SPECIFICATION = 'v4';

function isFactory(value: unknown): value is Factory {
  return typeof value === 'function';
}

function isLanguageModel(value: unknown): value is LanguageModelV4 {
  return (
    typeof value === 'object' && value !== null && 'specificationVersion' in value && value.specificationVersion === SPECIFICATION
  );
}

/** @throws {PackageError} */
function factoryIn(exports: Readonly<Record<string, unknown>>, { package: name, factory }: AiSdkOptions): Factory {
  const names = factory === undefined ? Object.keys(exports).filter((key) => /^create[A-Z]/.test(key)) : [factory];
  const found = names.map((key) => exports[key]).filter(isFactory);
  const [only] = found;
  if (only === undefined) throw new PackageError('no_factory', `set factory to the export of ${name} that creates its provider`);
  if (found.length > 1) throw new PackageError('several_factories', `set factory to one of ${names.join(', ')}`);
  return only;
}

/** The language models of a package. The package is imported on first use. */
export class Models {
  readonly #options: AiSdkOptions;
  readonly #directory: string;
  readonly #fetch: unknown;
  #opened: Promise<OpenModel> | undefined;

  /** @param fetch passed to the package as a setting */
  constructor(options: AiSdkOptions, { directory }: Pick<PluginDeps, 'directory'>, fetch: unknown) {
    this.#options = options;
    this.#directory = directory;
    this.#fetch = fetch;
  }

  /** @throws {PackageError} */
  async model(id: string): Promise<LanguageModelV4> {
    // A failed import is tried again, because the package may have been installed in the meantime.
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    const model = (await this.#opened)(id);
    if (isLanguageModel(model)) return model;
    throw new PackageError(
      'wrong_specification',
      `install a release of ${this.#options.package} that supports version ${SPECIFICATION} of the language model specification (AI SDK 7)`,
    );
  }

  async #open(): Promise<OpenModel> {
    const { package: name, settings } = this.#options;
    const factory = factoryIn(await importPackage(name, this.#directory), this.#options);
    const provider = made(() => factory({ ...settings, fetch: this.#fetch }), name);
    if (!hasLanguageModels(provider)) {
      throw new PackageError(
        'no_language_model',
        `this factory of ${name} does not create language models; set another factory or package`,
      );
    }
    return (id) => made(() => provider.languageModel(id), name);
  }
}

function hasLanguageModels(provider: unknown): provider is { languageModel: OpenModel } {
  const isOpen = typeof provider === 'function' || (typeof provider === 'object' && provider !== null);
  return isOpen && 'languageModel' in provider && typeof provider.languageModel === 'function';
}

/** Calls a package's factory with the operator's settings. Drops the package's error message, because it may quote the settings. */
function made(make: () => unknown, name: string): unknown {
  try {
    return make();
  } catch (error) {
    if (isProviderError(error)) throw error;
    throw new PackageError('factory_failed', `${name} rejects its settings or the model: check them against its documentation`);
  }
}
