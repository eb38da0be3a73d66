import type { PluginCatalogue } from '../plugins/index.ts';
import { isObject } from './json-shape.ts';
import { nearestName } from './nearest.ts';
import { LATER } from './not-served.ts';
import { type PluginRegistry, whereToGet } from './registry.ts';
import type { Report } from './report.ts';

/** SVC-POL-006 for a type that is not installed; an installed one is refused too, since nothing would deliver to it. */
export function lintExporters(exporters: unknown, catalogue: PluginCatalogue, registry: PluginRegistry, report: Report): void {
  const installed = catalogue.entries.filter(({ kind }) => kind === 'exporter').map(({ type }) => type);
  for (const [index, exporter] of (Array.isArray(exporters) ? exporters : []).entries()) {
    const type = isObject(exporter) ? exporter.type : undefined;
    if (typeof type !== 'string') continue;
    const path = ['exporters', index, 'type'];
    if (installed.includes(type)) {
      report.error('SVC-POL-001', path, `delivery to exporters is ${LATER}`);
    } else {
      const nearest = nearestName(type, [
        ...installed,
        ...registry.plugins.filter(({ kind }) => kind === 'exporter').map((known) => known.type),
      ]);
      const where = whereToGet(registry, 'exporter', type);
      report.error('SVC-POL-006', path, `no exporter of type ${type} is installed (${where}), and delivery is ${LATER}`, {
        nearest: nearest === type ? undefined : nearest,
      });
    }
  }
}
