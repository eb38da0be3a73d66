import { errorMessage } from '@svc/contracts';
import { discoverPlugins, nearestPackageJson, type PluginCatalogue, type PluginRoot } from '@svc/kernel/plugins';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { lintAllowList } from './lint-allow-list.ts';
import { explained } from './package-mistakes.ts';
import type { Report } from './report.ts';

/** The section `plugins`: `sha512-…` pins by package name, see `pinOf`. */
export const AllowListSchema = Type.Record(
  Type.String(),
  Type.String({ pattern: '^sha512-[A-Za-z0-9+/]{86}==$', title: 'sha512- and 88 base64 characters' }),
  {
    description: 'Third-party plugin packages that may be loaded, each pinned to its content. Default: every direct dependency.',
  },
);

/**
 * The plugins of the host, and of the package.json nearest to the configuration. Null if an allow-list or a package.json cannot be read: then nothing
 * may be loaded, and the report says why.
 */
export function findCatalogue(
  directory: string,
  hostPackageJson: string,
  allowList: unknown,
  report: Report,
): PluginCatalogue | null {
  if (allowList !== undefined && !Value.Check(AllowListSchema, allowList)) return null;
  const operators = nearestPackageJson(directory);
  const roots: PluginRoot[] = [{ file: hostPackageJson, builtIn: true }];
  if (operators !== null) roots.push({ file: operators, builtIn: false });
  try {
    const { entries, refused } = discoverPlugins({ roots, allowList });
    const catalogue = {
      entries,
      refused: refused.map((plugin) => ({ ...plugin, error: explained(plugin.error, plugin.directory) })),
    };
    if (allowList !== undefined) lintAllowList(allowList, catalogue, report);
    return catalogue;
  } catch (error) {
    report.error('SVC-POL-007', [], errorMessage(error, 'plugins cannot be discovered'));
    return null;
  }
}
