import type { PluginCatalogue, PluginEntry } from '@svc/kernel/plugins';
import type { PluginListing } from './resolved.ts';

/** All plugins that were found, by package and type. */
export function listPlugins(catalogue: PluginCatalogue, used: ReadonlySet<PluginEntry>): PluginListing[] {
  const usable = catalogue.entries.map((entry): PluginListing => {
    const { package: name, version, directory, builtIn, kind, type } = entry;
    return { package: name, version, directory, builtIn, kind, type, state: used.has(entry) ? 'used' : 'unused' };
  });
  const refused = catalogue.refused.map(({ kind, type, directory, builtIn, error }): PluginListing => {
    return {
      package: error.package,
      version: error.version,
      directory,
      builtIn,
      kind,
      type,
      state: 'refused',
      reason: error.message,
    };
  });
  return [...usable, ...refused].sort((a, b) => order(`${a.package} ${a.kind} ${a.type}`, `${b.package} ${b.kind} ${b.type}`));
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
