// Writes the tables of docs/events.md from the schemas that the events of a run are made by: `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { describeSchema } from '../host/src/config/describe-schema.ts';
import { EVENT_DATA, EVENT_TYPES } from '../kernel/contracts/src/run-event.ts';

export const EVENTS_PAGE = new URL('../docs/events.md', import.meta.url);

const MARK = '<!-- Below this line: generated from the schemas by npm run docs. -->';

/** The JSON Schema keywords that the tables show. */
interface Keywords {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly required?: readonly string[];
  readonly items?: Keywords;
}

/** The page's text with the generated part made anew. */
export function withEvents(page: string): string {
  const [written, ...generated] = page.split(MARK);
  if (generated.length !== 1) throw new Error(`docs/events.md must hold exactly one line ${MARK}`);
  return `${written}${MARK}\n\n${EVENT_TYPES.map(sectionOf).join('\n\n')}\n`;
}

type Type = (typeof EVENT_TYPES)[number];

/** As plain JSON Schema, which is what TypeBox's schemas are. */
const schemaOf = (type: Type): Keywords => JSON.parse(JSON.stringify(EVENT_DATA[type]));

function sectionOf(type: Type): string {
  const { description = '' } = schemaOf(type);
  const rows = rowsOf('', schemaOf(type));
  const same = EVENT_TYPES.find((other) => rowsOf('', schemaOf(other)).join() === rows.join()) ?? type;
  if (same !== type) return `## \`${type}\`\n\n${description} Its fields are those of [\`${same}\`](#${same}).`;
  const table = ['| Field | Value | | Meaning |', '|---|---|---|---|', ...rows].join('\n');
  return [`## \`${type}\``, description, table].join('\n\n');
}

/** A row for each field, and for those of the objects in it. */
function rowsOf(prefix: string, { properties = {}, required = [] }: Keywords): string[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const path = `${prefix}${key}`;
    const cells = [
      `\`${path}\``,
      describeSchema(schema) ?? 'anything',
      required.includes(key) ? '' : 'may be missing',
      schema.description ?? '',
    ];
    const inner = schema.items?.properties === undefined ? rowsOf(`${path}.`, schema) : rowsOf(`${path}[].`, schema.items);
    return [`| ${cells.join(' | ')} |`, ...inner];
  });
}

if (import.meta.main) writeFileSync(EVENTS_PAGE, withEvents(readFileSync(EVENTS_PAGE, 'utf8')));
