import type { Store } from '@svc/contracts';
import { findPlugin, type PluginCatalogue } from '@svc/kernel/plugins';
import { Value } from 'typebox/value';
import { loadPlugin } from '../config/load-plugin.ts';
import type { RunsDb } from '../config/runs-db.ts';
import type { Container } from './container.ts';
import { PLUGIN_DEPS } from './tokens.ts';

/** The store for a `--runs-db`, not open yet. */
export async function makeStore(
  { type, options, directory }: RunsDb,
  catalogue: PluginCatalogue,
  container: Container,
): Promise<Store> {
  const entry = findPlugin(catalogue, 'store', type);
  if (entry === null) throw new Error(`the store @svc/store-${type} is not installed`);
  const definition = await loadPlugin(entry);
  const filled: unknown = Value.Default(definition.options, { ...options });
  Value.Assert(definition.options, filled);
  return definition.create(filled, container.resolve(PLUGIN_DEPS).provider('store', directory));
}
