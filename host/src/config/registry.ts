import { PLUGIN_KINDS, type PluginKind } from '@svc/contracts';
import { type Static, Type } from 'typebox';

/** Schema of plugin-registry.json. It lists known plugin packages, for messages about what to install. Nothing is loaded from it. */
export const PluginRegistry = Type.Object(
  {
    plugins: Type.Array(
      Type.Object(
        {
          package: Type.String({ description: 'Name to install.' }),
          kind: Type.Enum([...PLUGIN_KINDS]),
          type: Type.String({ description: 'The name that configurations use for it.' }),
          apiVersion: Type.Integer({ description: 'Version of the plugin contracts.' }),
          description: Type.String({ description: 'What it does.' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type PluginRegistry = Static<typeof PluginRegistry>;

/** How to get a type that is not installed, as the end of a sentence. */
export function whereToGet(registry: PluginRegistry, kind: PluginKind, type: string): string {
  const packages = registry.plugins
    .filter((plugin) => plugin.kind === kind && plugin.type === type)
    .map((plugin) => plugin.package);
  return packages.length === 0 ? 'no known package provides it' : `install ${packages.join(' or ')} next to the configuration`;
}
