import { dirname, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { API_VERSION, PLUGIN_BRAND, type PluginDefinition, type PluginKind } from '@svc/contracts';
import type { TSchema } from 'typebox';
import type { PluginEntry } from './discover.ts';
import { nearestPackageJson, readPackageJson } from './package-json.ts';
import { PluginLoadError } from './plugin-load-error.ts';

const IMPORT_TIMEOUT_MS = 10_000;
const TIMED_OUT = Symbol('timed out');

/** As Node decides it, syntax detection left out: told from the file's name and the package.json that governs it. */
function isEsModule(file: string): boolean {
  if (extname(file) === '.mjs') return true;
  const governing = nearestPackageJson(dirname(file));
  return extname(file) === '.js' && governing !== null && readPackageJson(governing)?.type === 'module';
}

async function importWithin(file: string, timeout_ms: number): Promise<Record<string, unknown> | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), timeout_ms);
  });
  try {
    return await Promise.race([import(/* @vite-ignore */ pathToFileURL(file).href), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The first line of what a module threw, short and without control characters. */
function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n', 1)[0] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, 200);
}

function isObjectSchema(value: unknown): value is TSchema {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'object' &&
    'properties' in value &&
    typeof value.properties === 'object' &&
    'additionalProperties' in value &&
    value.additionalProperties === false
  );
}

function isBranded(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && PLUGIN_BRAND in value && value[PLUGIN_BRAND] === true;
}

function assertDefinition<K extends PluginKind>(
  plugin: unknown,
  entry: PluginEntry & { kind: K },
): asserts plugin is PluginDefinition<K> {
  if (!isBranded(plugin)) throw new PluginLoadError('not_a_plugin', entry);
  const expected = { apiVersion: API_VERSION, kind: entry.kind, type: entry.type };
  for (const [field, value] of Object.entries(expected)) {
    if (plugin[field] !== value) throw new PluginLoadError('manifest_mismatch', entry, `${field} is not ${value}`);
  }
  if (!isObjectSchema(plugin.options)) throw new PluginLoadError('bad_options_schema', entry);
  if (typeof plugin.create !== 'function') throw new PluginLoadError('no_create', entry);
}

/**
 * Imports a plugin's entry and checks that it is what its manifest says. Code that spins on import cannot be stopped, only code that
 * never resolves.
 * @throws {PluginLoadError}
 */
export async function loadPlugin<K extends PluginKind>(
  entry: PluginEntry & { kind: K },
  timeout_ms = IMPORT_TIMEOUT_MS,
): Promise<PluginDefinition<K>> {
  if (!isEsModule(entry.file)) throw new PluginLoadError('not_es_module', entry);
  let module: Record<string, unknown> | typeof TIMED_OUT;
  try {
    module = await importWithin(entry.file, timeout_ms);
  } catch (error) {
    throw new PluginLoadError('import_failed', entry, oneLine(error), error);
  }
  if (module === TIMED_OUT) throw new PluginLoadError('import_timeout', entry, `${timeout_ms} ms`);
  const plugin = module.default;
  assertDefinition(plugin, entry);
  return plugin;
}
