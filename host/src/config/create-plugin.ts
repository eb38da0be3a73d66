import {
  errorMessage,
  errorName,
  type JsonObject,
  KERNEL_KEYS,
  type PluginDefinition,
  type PluginInstances,
  type PluginKind,
} from '@svc/contracts';
import { findPlugin, isGuard, type PluginCatalogue, type PluginEntry, PluginLoadError } from '@svc/kernel/plugins';
import { canonicalJson, sha256 } from '@svc/ledger';
import type { TSchema } from 'typebox';
import { schemaProblems } from './check-schema.ts';
import { withDefaults } from './defaults.ts';
import type { Path } from './diagnostic.ts';
import { stringsOf } from './json-shape.ts';
import { loadPlugin } from './load-plugin.ts';
import { nearestName } from './nearest.ts';
import { oneLine } from './one-line.ts';
import { withPemFiles } from './pem-options.ts';
import { type PluginRegistry, whereToGet } from './registry.ts';
import type { Report } from './report.ts';
import type { SecretContext, Secrets } from './resolve-secrets.ts';
import { BUILT_IN_BACKENDS } from './secret-backends.ts';
import { isSecretText } from './secret-reference.ts';
import { withStandIns } from './stand-ins.ts';
import { writeOnlyParts } from './write-only.ts';

export const LITERAL_SECRET = 'the file contains a secret: use a secret:// reference';

/** Kinds whose instances a configuration creates. */
type MadeKind = Extract<PluginKind, 'guard' | 'provider' | 'exporter' | 'vectors' | 'embedder' | 'secrets' | 'protocol'>;

/** Creates the dependencies for `create`, by kind and by the instance's name in the configuration. */
export type DepsFactories = {
  readonly [K in MadeKind]: (name: string, directory: string) => PluginInstances[K]['deps'];
};

export interface PluginFactoryContext {
  readonly catalogue: PluginCatalogue;
  readonly registry: PluginRegistry;
  readonly report: Report;
  readonly directory: string;
  readonly depsFor: DepsFactories;
  readonly resolveSecrets: boolean;
  /** Collects the loaded plugins. */
  readonly used: Set<PluginEntry>;
}

/** The plugin of an instance, and the instance's options. */
export interface Origin {
  readonly type: string;
  readonly package: string;
  readonly version: string;
  /** Real path of the package's folder. */
  readonly directory: string;
  /** The options as in the file, without the gateway's keys, defaults, and values of secrets. */
  readonly rawOptions: JsonObject;
  readonly optionsSchema: TSchema;
  /** Hash of package, version and options, including the values of secrets. Never recorded or logged. */
  readonly fingerprint: string;
}

/** An instance, and its origin. */
type Made<K extends MadeKind> = Origin & { readonly instance: PluginInstances[K]['instance'] };

/** Finds and imports a plugin. Null if that fails, which is reported. */
export async function definitionOf<K extends PluginKind>(
  kind: K,
  type: string,
  path: Path,
  { catalogue, registry, report, used }: PluginFactoryContext,
): Promise<{ entry: PluginEntry; definition: PluginDefinition<K> } | null> {
  try {
    const entry = findPlugin(catalogue, kind, type);
    if (entry !== null) {
      const definition = await loadPlugin(entry);
      used.add(entry);
      return { entry, definition };
    }
  } catch (error) {
    if (!(error instanceof PluginLoadError)) throw error;
    report.error('SVC-POL-007', path, error.message);
    return null;
  }
  const builtIn = kind === 'secrets' ? BUILT_IN_BACKENDS : [];
  const installed = [...builtIn, ...catalogue.entries.filter((entry) => entry.kind === kind).map((entry) => entry.type)];
  // The wanted plugin may be in a package with an unreadable manifest.
  const unreadable = catalogue.refused.filter((refused) => refused.kind === null).map(({ error }) => error.message);
  report.error(
    'SVC-POL-002',
    path,
    [`no ${kind} plugin of type ${type} is installed; ${whereToGet(registry, kind, type)}`, ...unreadable].join('. '),
    {
      nearest: nearestName(type, installed),
    },
  );
  return null;
}

/** A built-in plugin throws only for its options. Another one may have a bug, so its author needs the package and the class of the error. */
function failureOf(kind: MadeKind, type: string, { builtIn, package: name, version }: PluginEntry, error: unknown): string {
  if (builtIn) return `${type} rejects its options`;
  return `create of the ${kind} ${type} (${name} ${version}) threw ${error instanceof Error ? errorName(error) : 'a value that is not an Error'}`;
}

/** Whether a plugin lacks a package that the operator installs: `NotInstalledError` of the toolkit, of whatever copy. */
export function isNotInstalled(error: unknown): boolean {
  return error instanceof Error && errorName(error) === 'NotInstalledError';
}

function messageOf(error: unknown, secrets: Secrets): string {
  return oneLine(secrets.hideIn(errorMessage(error, typeof error === 'string' ? error : 'without a message')));
}

function isFit(kind: MadeKind, instance: unknown): boolean {
  if (typeof instance !== 'object' || instance === null) return false;
  const hasMethod = (name: string) => typeof Reflect.get(instance, name) === 'function';
  if (kind === 'provider') return hasMethod('complete') && hasMethod('stream');
  if (kind === 'exporter') return hasMethod('open') && hasMethod('deliver') && hasMethod('close');
  if (kind === 'protocol') return isProtocol(Reflect.get(instance, 'protocol'));
  if (kind === 'secrets') return hasMethod('resolve') !== hasMethod('signingKey');
  if (kind === 'vectors') return ['open', 'upsert', 'remove', 'query'].every(hasMethod);
  if (kind === 'embedder') return hasMethod('embed') && isIdentified(instance);
  return isGuard(instance);
}

/** Whether a protocol has the members that the gateway uses. */
function isProtocol(protocol: unknown): boolean {
  if (typeof protocol !== 'object' || protocol === null || typeof Reflect.get(protocol, 'id') !== 'string') return false;
  return ['request', 'answer', 'frames', 'bridge'].every((name) => typeof Reflect.get(protocol, name) === 'object');
}

/** Whether an embedder gives the model and dimensions of its vectors. */
function isIdentified(embedder: object): boolean {
  const model: unknown = Reflect.get(embedder, 'model');
  const dimensions: unknown = Reflect.get(embedder, 'dimensions');
  return (
    typeof model === 'string' && /^[\x21-\x7e]{1,200}$/.test(model) && Number.isSafeInteger(dimensions) && Number(dimensions) > 0
  );
}

/**
 * Creates an instance from its section of the configuration: finds the plugin, checks the options, resolves their secrets, calls `create`. Null on
 * any error, which is reported.
 * @param former the instance of this name in the active configuration, which is kept if its fingerprint is the same
 */
export async function createPlugin<K extends MadeKind>(
  kind: K,
  name: string,
  section: JsonObject,
  path: Path,
  factoryContext: PluginFactoryContext & { secrets: Secrets },
  former?: Made<K>,
): Promise<Made<K> | null> {
  const { report, secrets, resolveSecrets, depsFor, directory } = factoryContext;
  const type = typeof section.type === 'string' ? section.type : name;
  const found = await definitionOf(kind, type, section.type === undefined ? path : [...path, 'type'], factoryContext);
  const rawOptions = Object.fromEntries(Object.entries(section).filter(([key]) => !KERNEL_KEYS[kind].includes(key)));
  const secretsAreWell = await secrets.check(rawOptions, path);
  if (found === null) return null;
  const { entry, definition } = found;

  const fits = (options: unknown) => {
    const problems = schemaProblems(definition.options, options, KERNEL_KEYS[kind]);
    for (const problem of problems) report.error('SVC-POL-001', [...path, ...problem.path], problem.message, problem);
    return problems.length === 0;
  };
  noteLiteralSecrets(definition.options, rawOptions, path, { report, secrets });
  const given = await withPemFiles(definition.options, rawOptions, directory);
  const written = withDefaults(definition.options, given);
  if (!fits(written) || !secretsAreWell) return null;
  const options = resolveSecrets ? withDefaults(definition.options, await secrets.resolve(given, path)) : written;
  if (options === undefined || (resolveSecrets && !fits(options))) return null;

  const fingerprint = sha256(canonicalJson({ package: entry.package, version: entry.version, type, options }));
  const origin = {
    type,
    package: entry.package,
    version: entry.version,
    directory: entry.directory,
    rawOptions,
    optionsSchema: definition.options,
    fingerprint,
  };
  if (former?.fingerprint === fingerprint) return { ...origin, instance: former.instance };
  const created = firstCreated(
    // A plugin may fail if it finds a reference where it needs the value.
    [options, ...withStandIns(options)],
    (candidate) => definition.create(candidate, depsFor[kind](name, directory)),
  );
  if ('error' in created) {
    reportFailure(kind, type, entry, { path, options, error: created.error }, factoryContext);
    return null;
  }
  const { instance } = created;
  if (!isFit(kind, instance)) {
    const what =
      instance instanceof Promise
        ? `its create() returned a promise: create() must not be async`
        : `it does not create a ${kind}`;
    // Its rejection has no other reader.
    if (instance instanceof Promise) instance.catch(() => undefined);
    report.error('SVC-POL-007', path, `${entry.package} ${entry.version} (${entry.file}): ${what}`, { at: 'key' });
    return null;
  }
  return { ...origin, instance };
}

/** Reports that a plugin was not created. */
function reportFailure(
  kind: MadeKind,
  type: string,
  entry: PluginEntry,
  { path, options, error }: { readonly path: Path; readonly options: unknown; readonly error: unknown },
  { report, secrets }: Noted,
): void {
  const said = messageOf(error, secrets);
  if (isNotInstalled(error)) {
    report.error('SVC-POL-007', path, `${entry.package}: ${said}`, { at: 'key' });
    return;
  }
  const message = `${failureOf(kind, type, entry, error)}: ${said}`;
  // The secrets of built-in plugins have known forms, so these failed for another reason. For other plugins, only a start can show the cause.
  const isUndecided = !entry.builtIn && [...stringsOf(options)].some(({ text }) => isSecretText(text));
  if (isUndecided) report.warning('SVC-POL-001', path, `${message} (checked without its secrets)`, { at: 'key' });
  else report.error('SVC-POL-001', path, message, { at: 'key' });
}

/** The first candidate that can be created, or else the last failure. Earlier candidates may have failed because of their stand-ins. */
function firstCreated<T>(candidates: Iterable<unknown>, create: (options: unknown) => T): { instance: T } | { error: unknown } {
  let last: unknown;
  for (const candidate of candidates) {
    try {
      return { instance: create(candidate) };
    } catch (error) {
      last = error;
    }
  }
  return { error: last };
}

/** Warns about secrets in the file, and hides them in messages. */
export function noteLiteralSecrets(schema: unknown, options: JsonObject, path: Path, context: Noted): void {
  for (const { path: below, value } of writeOnlyParts(schema, options)) {
    if (typeof value !== 'string' || isSecretText(value)) continue;
    context.secrets.keepSecret(value);
    context.report.warning('SVC-POL-008', [...path, ...below], LITERAL_SECRET);
  }
  noteSecretsByForm(options, path, context);
}

type Noted = Pick<SecretContext, 'report' | 'secrets'>;

/** Secrets that are known by their form: private keys, and the password of an address. */
function noteSecretsByForm(options: unknown, path: Path, { report, secrets }: Noted): void {
  for (const { path: at, text } of stringsOf(options, path)) {
    const password = URL.parse(text)?.password ?? '';
    if (password === '' && !/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) continue;
    secrets.keepSecret(password === '' ? text : password);
    report.warning('SVC-POL-008', at, LITERAL_SECRET);
  }
}
