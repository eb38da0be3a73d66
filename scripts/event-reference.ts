// Writes the tables of docs/events.md from the schemas that the events of a run are made by: `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { describeSchema } from '../host/src/config/describe-schema.ts';
import { EVENT_DATA, EVENT_MEANINGS, EVENT_TYPES } from '../kernel/contracts/src/run-event.ts';

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

function sectionOf(type: (typeof EVENT_TYPES)[number]): string {
  const same = EVENT_TYPES.find((other) => EVENT_DATA[other] === EVENT_DATA[type]);
  if (same !== undefined && same !== type)
    return `## \`${type}\`\n\n${EVENT_MEANINGS[type]} Its fields are those of [\`${same}\`](#${same}).`;
  const schema: Keywords = JSON.parse(JSON.stringify(EVENT_DATA[type]));
  const table = ['| Field | Value | | Meaning |', '|---|---|---|---|', ...rowsOf('', schema)].join('\n');
  return [`## \`${type}\``, EVENT_MEANINGS[type], table].join('\n\n');
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
