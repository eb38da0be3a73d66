import { isObject } from '@svc/contracts';
import type { PluginCatalogue } from '@svc/kernel/plugins';
import type { PluginFactoryContext } from './create-plugin.ts';
import { nearestName } from './nearest.ts';
import { whereToGet } from './registry.ts';

/** Whether an installed package offers this exporter. A refused package counts too. */
export function offersExporter({ entries, refused }: PluginCatalogue, type: string): boolean {
  return [...entries, ...refused].some((plugin) => plugin.kind === 'exporter' && plugin.type === type);
}

/** SVC-POL-006: a type that is not installed. Names the package that has it. */
export function lintExporters(
  exporters: unknown,
  { catalogue, registry, report }: Pick<PluginFactoryContext, 'catalogue' | 'registry' | 'report'>,
): void {
  const installed = catalogue.entries.filter(({ kind }) => kind === 'exporter').map(({ type }) => type);
  const known = registry.plugins.filter(({ kind }) => kind === 'exporter').map(({ type }) => type);
  for (const [index, exporter] of (Array.isArray(exporters) ? exporters : []).entries()) {
    const type = isObject(exporter) ? exporter.type : undefined;
    if (typeof type !== 'string' || offersExporter(catalogue, type)) continue;
    const nearest = nearestName(type, [...installed, ...known]);
    const where = whereToGet(registry, 'exporter', type);
    report.error('SVC-POL-006', ['exporters', index, 'type'], `no exporter of type ${type} is installed; ${where}`, {
      nearest: nearest === type ? undefined : nearest,
    });
  }
}
