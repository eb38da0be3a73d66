import { isObject, type JsonObject, type PluginKind } from '@svc/contracts';
import { ConfigSchema } from './schema.ts';
import { asWritten, SECRET_DEFINITION } from './written-schema.ts';

/** An installed plugin, with its options schema. */
export interface DescribedPlugin {
  readonly kind: PluginKind;
  readonly type: string;
  readonly package: string;
  readonly options: object;
}

const SECRET: JsonObject = {
  title: 'secret://<backend>/<path>#<key>',
  description: 'A secret that the gateway reads when it starts.',
  type: 'string',
  pattern: '^secret://[a-z0-9][a-z0-9-]*/[^#]+#[^#]+$',
};

/**
 * JSON Schema 2020-12 of a configuration file, for editors. It accepts every file that the gateway accepts with these plugins. It does not know which names the
 * file defines, what other files contain, or what a plugin checks itself.
 */
export function fileSchema(plugins: readonly DescribedPlugin[]): JsonObject {
  // Plain JSON, without TypeBox's own marks.
  const file = asWritten(JSON.parse(JSON.stringify(ConfigSchema)), { secrets: false });
  const $defs: JsonObject = { [SECRET_DEFINITION]: SECRET };
  const entry = (kind: PluginKind, section: JsonObject): JsonObject => {
    const offered = plugins.filter((plugin) => plugin.kind === kind).toSorted((a, b) => (a.type < b.type ? -1 : 1));
    for (const plugin of offered) $defs[definitionName(plugin)] = pluginEntry(plugin, section);
    $defs[kind] = entryByType(section, offered);
    return { $ref: `#/$defs/${kind}` };
  };
  const valuesOf = (section: JsonObject): JsonObject => Object.values(at(section, 'patternProperties'))[0] as JsonObject;
  const { providers, packs, secrets, exporters, protocols, rag } = at(file, 'properties') as Record<string, JsonObject>;
  for (const [kind, section] of [
    ['provider', providers],
    ['guard', packs],
    ['secrets', secrets],
  ] as const) {
    if (section === undefined) continue;
    section.additionalProperties = entry(kind, valuesOf(section));
    delete section.patternProperties;
  }
  if (packs !== undefined) packs.properties = packsByName(plugins);
  for (const [kind, section] of [
    ['exporter', exporters],
    ['protocol', protocols],
  ] as const)
    if (section !== undefined) section.items = entry(kind, at(section, 'items'));
  const parts = at(rag, 'properties');
  for (const kind of ['vectors', 'embedder'] as const) parts[kind] = entry(kind, at(parts, kind));
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...file, $defs };
}

const definitionName = ({ kind, type }: DescribedPlugin): string => `${kind}.${type}`;
const reference = (plugin: DescribedPlugin): JsonObject => ({ $ref: `#/$defs/${definitionName(plugin)}` });

/** Which schema applies depends on a condition. */
function conditional(condition: JsonObject, met: JsonObject, otherwise?: JsonObject): JsonObject {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: condition, then: met, ...(otherwise !== undefined && { else: otherwise }) };
}

/** A pack that is named like an installed guard needs no `type`. */
function packsByName(plugins: readonly DescribedPlugin[]): JsonObject {
  const guards = plugins.filter(({ kind }) => kind === 'guard');
  const isTyped = { required: ['type'] };
  return Object.fromEntries(
    guards.map((guard) => [guard.type, conditional(isTyped, { $ref: '#/$defs/guard' }, reference(guard))]),
  );
}

/** An entry whose `type` decides which options it has. */
function entryByType(section: JsonObject, plugins: readonly DescribedPlugin[]): JsonObject {
  const { description = '' } = section;
  const type = { ...at(at(section, 'properties'), 'type'), enum: plugins.map((plugin) => plugin.type) };
  const allOf = plugins.map((plugin) =>
    conditional({ properties: { type: { const: plugin.type } }, required: ['type'] }, reference(plugin)),
  );
  return { description, type: 'object', properties: { type }, required: ['type'], allOf };
}

/** The keys of the gateway and the options of the plugin in one object, because each alone would refuse the keys of the other. */
function pluginEntry(plugin: DescribedPlugin, section: JsonObject): JsonObject {
  const options = asWritten(JSON.parse(JSON.stringify(plugin.options)), { secrets: true });
  const { required = [], ...rest } = options;
  const own = at(section, 'properties');
  const properties = { ...at(options, 'properties'), ...own, type: { ...at(own, 'type'), const: plugin.type } };
  const needed = (Array.isArray(required) ? required : []).filter((key) => !Object.hasOwn(own, String(key)));
  return { title: `${plugin.type} (${plugin.package})`, ...rest, properties, ...(needed.length > 0 && { required: needed }) };
}

/** The schema in a keyword or under a key. Empty if it is absent. */
function at(schema: JsonObject | undefined, key: string): JsonObject {
  const value = schema?.[key];
  return isObject(value) ? value : {};
}
