import type { UsedPlugin } from '@svc/runtime';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';

/** The packages from which a server has plugins, each once: those of its configuration, and that of its store. */
export function usedPlugins({ catalogue, used }: Pick<ResolvedConfig, 'catalogue' | 'used'>, { type }: RunsDb): UsedPlugin[] {
  const store = catalogue.entries.filter((entry) => entry.kind === 'store' && entry.type === type);
  const packages = new Map(
    [...used, ...store].map(
      ({ package: name, version, pin }) => [name, { package: name, version, ...(pin === undefined ? {} : { pin }) }] as const,
    ),
  );
  return [...packages.values()].sort((a, b) => (a.package < b.package ? -1 : 1));
}
