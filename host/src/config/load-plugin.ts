import type { PluginDefinition, PluginKind } from '@svc/contracts';
import { loadPlugin as loadEntry, type PluginEntry, PluginLoadError } from '@svc/kernel/plugins';
import { explained } from './package-mistakes.ts';

/** Imports a plugin. @throws {PluginLoadError} which names the mistake of the package's author, if it is a common one */
export async function loadPlugin<K extends PluginKind>(entry: PluginEntry & { kind: K }): Promise<PluginDefinition<K>> {
  try {
    return await loadEntry(entry);
  } catch (error) {
    throw error instanceof PluginLoadError ? explained(error, entry.directory) : error;
  }
}
