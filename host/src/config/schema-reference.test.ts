import { expect, it } from 'vitest';
import { schemaReference } from './schema-reference.ts';

const SCHEMA = {
  properties: {
    name: { type: 'string', description: 'A name.' },
    names: { type: 'array', items: { type: 'string' }, description: 'Names, joined by |.' },
    server: {
      type: 'object',
      description: 'The server.',
      properties: { port: { type: 'integer', default: 80 }, tls: { anyOf: [{ type: 'null' }, { properties: { key: {} } }] } },
    },
    routes: { patternProperties: { '.*': { properties: { model: { type: 'string' } }, required: ['model'] } } },
  },
};

const headings = (markdown: string) => [...markdown.matchAll(/^## `(.*)`$/gm)].map(([, path]) => path);

it('has a row for each key, and a table for each object', () => {
  const text = schemaReference(SCHEMA);
  expect(headings(text)).toEqual(['server', 'server.tls', 'routes.<name>']);
  for (const row of [
    '| `name` | text |  | A name. |',
    '| `names` | a list: text |  | Names, joined by \\|. |',
    '| `port` | a whole number | `80` |  |',
    '| `model` | text | required |  |',
  ])
    expect(text).toContain(`\n${row}\n`);
});

it.each([
  ['server', ['server', 'server.tls'], 4],
  ['server.port', ['server'], 1],
  ['name', [], 1],
  ['routes', ['routes.<name>'], 2],
  ['server.', [], 0],
  ['nothing', [], 0],
])('for %s, it contains the key and everything below it', (key, paths, rows) => {
  const text = schemaReference(SCHEMA, key);
  expect(headings(text)).toEqual(paths);
  expect([...text.matchAll(/^\| `/gm)]).toHaveLength(rows);
});
