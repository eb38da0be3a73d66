// Writes docs/configuration.md below its mark from the schema that the server checks a configuration with: `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { describeSchema } from '../host/src/config/describe-schema.ts';
import { ConfigSchema } from '../host/src/config/schema.ts';

export const REFERENCE_PAGE = new URL('../docs/configuration.md', import.meta.url);

const MARK = '<!-- Below this line: generated from the schema by npm run docs. -->';

/** The JSON Schema keywords that the reference shows. */
interface Keywords {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly patternProperties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly items?: Keywords;
  readonly anyOf?: readonly Keywords[];
}

/** As plain JSON Schema, which is what TypeBox's schemas are. */
const SCHEMA: Keywords = JSON.parse(JSON.stringify(ConfigSchema));

/** The page's text with the generated part made anew. */
export function withReference(page: string): string {
  const [written, ...generated] = page.split(MARK);
  if (generated.length !== 1) throw new Error(`docs/configuration.md must hold exactly one line ${MARK}`);
  return `${written}${MARK}\n\n${sectionOf('', SCHEMA).join('\n\n')}\n`;
}

/** A table of an object's own keys, then the same for the objects in it. */
function sectionOf(path: string, schema: Keywords): string[] {
  const children = Object.entries(schema.properties ?? {}).map(([key, child]) => ({ key, child, open: opened(child) }));
  const leaves = children.filter(({ open, child }) => open === null || child.anyOf !== undefined);
  const rows = leaves.map(({ key, child }) => row(key, child, schema.required?.includes(key) ?? false));
  const heading = path === '' ? '## At the top' : `## \`${path}\``;
  const about = path === '' ? [] : [schema.description ?? ''];
  const table = ['| Key | Value | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
  const own = rows.length === 0 ? [] : [heading, ...about, table];
  const inner = children.flatMap(({ key, open }) => {
    if (open === null) return [];
    return sectionOf(`${path}${path === '' ? '' : '.'}${key}${open.suffix}`, open.schema);
  });
  return [...own, ...inner];
}

/** The object behind a key whose keys have a table of their own: itself, a variant, the values of a map, or the entries of a list. */
function opened(schema: Keywords): { suffix: string; schema: Keywords } | null {
  const [value] = Object.values(schema.patternProperties ?? {});
  if (value?.properties !== undefined) return { suffix: '.<name>', schema: value };
  if (schema.items?.properties !== undefined) return { suffix: '[]', schema: schema.items };
  const variant = schema.anyOf?.find(({ properties }) => properties !== undefined);
  if (variant !== undefined) return { suffix: '', schema: variant };
  return schema.properties === undefined ? null : { suffix: '', schema };
}

function row(key: string, schema: Keywords, required: boolean): string {
  const byDefault = schema.default === undefined ? (required ? 'required' : '') : `\`${JSON.stringify(schema.default)}\``;
  return `| ${[`\`${key}\``, fitting(schema), byDefault, schema.description ?? ''].map(cell).join(' | ')} |`;
}

function fitting(schema: Keywords): string {
  const words = describeSchema(schema) ?? 'anything';
  const [item] = [schema.items ?? [], Object.values(schema.patternProperties ?? {})].flat().map(describeSchema);
  return item === undefined ? words : `${words}: ${item}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (import.meta.main) writeFileSync(REFERENCE_PAGE, withReference(readFileSync(REFERENCE_PAGE, 'utf8')));
