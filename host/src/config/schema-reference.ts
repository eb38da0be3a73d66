import { describeSchema } from './describe-schema.ts';

/** The JSON Schema keywords that a reference shows. */
interface Keywords {
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly patternProperties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly items?: Keywords;
  readonly anyOf?: readonly Keywords[];
}

/** An object of the schema, with a row for each of its keys. `path` is empty at the top. */
interface Section {
  readonly path: string;
  readonly description: string;
  readonly rows: readonly { readonly path: string; readonly cells: readonly string[] }[];
}

/**
 * A schema as Markdown: a table of its keys, then one for each object in it.
 *
 * @param within path of keys such as `server.tls`: includes only this key and those below it. The result is empty if there is no such key
 */
export function schemaReference(schema: object, within?: string): string {
  const asked = (path: string) => within === undefined || path === within || isBelow(path, within);
  return sectionsOf('', JSON.parse(JSON.stringify(schema)))
    .map((section) => ({ ...section, rows: section.rows.filter(({ path }) => asked(path)) }))
    .filter(({ rows }) => rows.length > 0)
    .map(markdownOf)
    .join('\n');
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
}

function sectionsOf(path: string, { properties = {}, required = [], description = '' }: Keywords): Section[] {
  const children = Object.entries(properties).map(([key, schema]) => ({
    path: path === '' ? key : `${path}.${key}`,
    key,
    schema,
  }));
  const rows = children.map((child) => ({ path: child.path, cells: cellsOf(child.key, child.schema, required) }));
  const inner = children.flatMap((child) =>
    opened(child.schema).flatMap(({ suffix, schema }) => sectionsOf(child.path + suffix, schema)),
  );
  return [{ path, description, rows }, ...inner];
}

/** The objects within a key that are documented in a separate table: the key itself, a variant, the values of a map, or the kinds of list entries. */
function opened(schema: Keywords): { suffix: string; schema: Keywords }[] {
  const [value] = Object.values(schema.patternProperties ?? {});
  if (value?.properties !== undefined) return [{ suffix: '.<name>', schema: value }];
  if (schema.items?.properties !== undefined) return [{ suffix: '[]', schema: schema.items }];
  const kinds = (schema.items?.anyOf ?? []).filter(({ properties }) => properties?.type?.const !== undefined);
  if (kinds.length > 0) return kinds.map((kind) => ({ suffix: `[type: ${kind.properties?.type?.const}]`, schema: kind }));
  const variant = schema.anyOf?.find(({ properties }) => properties !== undefined);
  if (variant !== undefined) return [{ suffix: '', schema: variant }];
  return schema.properties === undefined ? [] : [{ suffix: '', schema }];
}

function cellsOf(key: string, schema: Keywords, required: readonly string[]): string[] {
  const byDefault =
    schema.default === undefined ? (required.includes(key) ? 'required' : '') : `\`${JSON.stringify(schema.default)}\``;
  return [`\`${key}\``, fitting(schema), byDefault, schema.description ?? ''];
}

function fitting(schema: Keywords): string {
  const words = describeSchema(schema) ?? 'anything';
  const [item] = [schema.items ?? [], Object.values(schema.patternProperties ?? {})].flat().map(describeSchema);
  return item === undefined ? words : `${words}: ${item}`;
}

function markdownOf({ path, description, rows }: Section): string {
  const heading = path === '' ? [] : [`## \`${path}\``, '', ...(description === '' ? [] : [description, ''])];
  const table = rows.map(({ cells }) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  return [...heading, '| Key | Value | Default | Meaning |', '|---|---|---|---|', ...table, ''].join('\n');
}
