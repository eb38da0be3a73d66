import type { AllowList, PluginCatalogue } from '@svc/kernel/plugins';
import { nearestName } from './nearest.ts';
import type { Report } from './report.ts';

/** Reports pinned packages that are missing (a warning) or do not match their pin (an error, even if they are not used). */
export function lintAllowList(allowList: AllowList, catalogue: PluginCatalogue, report: Report): void {
  const known = new Set([
    ...catalogue.entries.map((entry) => entry.package),
    ...catalogue.refused.map(({ error }) => error.package),
  ]);
  for (const name of Object.keys(allowList)) {
    if (known.has(name)) continue;
    const message = 'not a plugin package among the direct dependencies in the package.json next to the configuration';
    report.warning('SVC-POL-002', ['plugins', name], message, { at: 'key', nearest: nearestName(name, known) });
  }
  const changed = new Map(
    catalogue.refused.filter(({ error }) => error.reason === 'pin_mismatch').map(({ error }) => [error.package, error]),
  );
  for (const [name, error] of changed) report.error('SVC-POL-007', ['plugins', name], error.message);
}
