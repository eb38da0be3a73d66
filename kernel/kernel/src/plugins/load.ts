import { dirname, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  API_VERSION,
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
import { exportFault, importFault } from './import-fault.ts';
import { nearestPackageJson, readPackageJson } from './package-json.ts';
import { PluginLoadError } from './plugin-load-error.ts';

const IMPORT_TIMEOUT_MS = 10_000;

/** Refuses an entry that Node would not load as an ES module, judged by its extension and the nearest package.json. Node's syntax detection is ignored. */
function assertEsModule(entry: PluginEntry): void {
  const extension = extname(entry.file);
  if (extension === '.mjs') return;
  if (/^\.[cm]?tsx?$/.test(extension)) throw new PluginLoadError('typescript', entry);
  const governing = nearestPackageJson(dirname(entry.file));
  const type = governing === null ? undefined : readPackageJson(governing)?.type;
  if (extension === '.js' && type === 'module') return;
  throw new PluginLoadError(
    'not_es_module',
    entry,
    extension === '.js' ? 'no "type": "module" in its package.json' : `${extension} file`,
  );
}

function isBranded(value: unknown): value is Record<string, unknown> {
  return isObject(value) && PLUGIN_BRAND in value && value[PLUGIN_BRAND] === true;
}

function assertDefinition<K extends PluginKind>(
  plugin: unknown,
  entry: PluginEntry & { kind: K },
  exported: Readonly<Record<string, unknown>>,
): asserts plugin is PluginDefinition<K> {
  if (!isBranded(plugin)) {
    const [reason, detail] = exportFault(exported);
    throw new PluginLoadError(reason, entry, detail);
  }
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
 * @throws {PluginLoadError}
 */
export async function loadPlugin<K extends PluginKind>(
  entry: PluginEntry & { kind: K },
  timeout_ms = IMPORT_TIMEOUT_MS,
): Promise<PluginDefinition<K>> {
  assertEsModule(entry);
  const loaded = LOADED.get(entry.file) ?? entry.version;
  if (loaded !== entry.version) throw new PluginLoadError('loaded_before', entry, `version ${loaded}`);
  LOADED.set(entry.file, entry.version);
  let imported: Raced<Record<string, unknown>>;
  try {
    const importing: Promise<Record<string, unknown>> = import(/* @vite-ignore */ pathToFileURL(entry.file).href);
    imported = await withTimeout(importing, timeout_ms);
  } catch (error) {
    if (isOptionsSchemaError(error)) throw new PluginLoadError('bad_options_schema', entry, undefined, error);
    const [reason, detail] = importFault(error, entry);
    throw new PluginLoadError(reason, entry, detail, error);
  }
  if (!imported.done) throw new PluginLoadError('import_timeout', entry, `${timeout_ms} ms`);
  const plugin = imported.value.default;
  assertDefinition(plugin, entry, imported.value);
  return plugin;
}
