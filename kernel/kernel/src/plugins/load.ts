import { dirname, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  API_VERSION,
  errorMessage,
  isObject,
  isOptionsSchema,
  isOptionsSchemaError,
  PLUGIN_BRAND,
  type PluginDefinition,
  type PluginKind,
  type Raced,
  withTimeout,
} from '@svc/contracts';
import type { PluginEntry } from './discover.ts';
import { nearestPackageJson, readPackageJson } from './package-json.ts';
import { PluginLoadError } from './plugin-load-error.ts';

const IMPORT_TIMEOUT_MS = 10_000;

/** Whether Node loads the file as an ES module, judged by its extension and the nearest package.json. Node's syntax detection is ignored. */
function isEsModule(file: string): boolean {
  if (extname(file) === '.mjs') return true;
  const governing = nearestPackageJson(dirname(file));
  return extname(file) === '.js' && governing !== null && readPackageJson(governing)?.type === 'module';
}

/** The first line of an error that a module threw, shortened and without control characters. */
function oneLine(error: unknown): string {
  const text = errorMessage(error, String(error));
  return (text.split('\n', 1)[0] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, 200);
}

function isBranded(value: unknown): value is Record<string, unknown> {
  return isObject(value) && PLUGIN_BRAND in value && value[PLUGIN_BRAND] === true;
}

function assertDefinition<K extends PluginKind>(
  plugin: unknown,
  entry: PluginEntry & { kind: K },
  exported: object,
): asserts plugin is PluginDefinition<K> {
  if (!isBranded(plugin)) throw new PluginLoadError('not_a_plugin', entry, undefined, exported);
  const expected = { apiVersion: API_VERSION, kind: entry.kind, type: entry.type };
  for (const [field, value] of Object.entries(expected)) {
    if (plugin[field] !== value) throw new PluginLoadError('manifest_mismatch', entry, `${field} should be ${value}`);
  }
  if (!isOptionsSchema(plugin.options)) throw new PluginLoadError('bad_options_schema', entry);
  if (typeof plugin.create !== 'function') throw new PluginLoadError('no_create', entry);
}

/** Version of each file that this process has imported. A process imports a file only once, even if another version is installed later. */
const LOADED = new Map<string, string>();

/**
 * Imports a plugin's entry and checks it against its manifest. The time limit applies to an import that never resolves, but cannot stop one that
 * blocks the thread.
 * @throws {PluginLoadError} with the `cause` of `import_failed`; the `cause` of `not_a_plugin` is the imported module
 */
export async function loadPlugin<K extends PluginKind>(
  entry: PluginEntry & { kind: K },
  timeout_ms = IMPORT_TIMEOUT_MS,
): Promise<PluginDefinition<K>> {
  if (!isEsModule(entry.file)) throw new PluginLoadError('not_es_module', entry);
  const loaded = LOADED.get(entry.file) ?? entry.version;
  if (loaded !== entry.version) throw new PluginLoadError('loaded_before', entry, `version ${loaded}`);
  LOADED.set(entry.file, entry.version);
  let imported: Raced<Record<string, unknown>>;
  try {
    imported = await withTimeout<Record<string, unknown>>(import(/* @vite-ignore */ pathToFileURL(entry.file).href), timeout_ms);
  } catch (error) {
    if (isOptionsSchemaError(error)) throw new PluginLoadError('bad_options_schema', entry, undefined, error);
    throw new PluginLoadError('import_failed', entry, oneLine(error), error);
  }
  if (!imported.done) throw new PluginLoadError('import_timeout', entry, `${timeout_ms} ms`);
  const plugin = imported.value.default;
  assertDefinition(plugin, entry, imported.value);
  return plugin;
}
