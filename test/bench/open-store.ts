import { join } from 'node:path';
import type { Store } from '@svc/contracts';
import { discoverPlugins, findPlugin, loadPlugin } from '@svc/kernel/plugins';
import { fakePluginDeps } from '@svc/sdk/testing';

/** Opens a store as the gateway loads it. */
export async function openStore(type: string, options: object): Promise<Store> {
  const file = join(import.meta.dirname, '..', '..', 'host', 'package.json');
  const entry = findPlugin(discoverPlugins({ roots: [{ file, builtIn: true }] }), 'store', type);
  if (entry === null) throw new Error(`no plugin store-${type}`);
  const store = (await loadPlugin(entry)).create(options, fakePluginDeps()) as Store;
  await store.open();
  return store;
}
