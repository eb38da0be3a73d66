import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Segment } from '@svc/sdk';
import { JSON_LIMITS } from '@svc/sdk/json';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import { afterAll, describe, expect, it } from 'vitest';
import guard from './index.ts';
import type { Options } from './options.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-schema-'));
afterAll(() => rmSync(folder, { recursive: true }));

const guardOf = (options: Partial<Options> = {}) =>
  guard.create(
    { choices: 'all', allow_no_text: false, verdict: 'block', ...options },
    { ...fakePluginDeps(), directory: folder },
  );
const place = (path: string, text: string, fields: Partial<Segment> = {}): Segment => ({
  index: 0,
  text,
  kind: 'text',
  role: 'assistant',
  path,
  choice: 0,
  origin: 'assistant',
  untrusted: false,
  ...fields,
});
const content = (text: string, choice = 0) => place(`choices.${choice}.message.content`, text, { choice });
const check = async (segments: Segment[], options: Partial<Options> = {}) => {
  const { verdict, code, findings } = await guardOf(options).check(segments, fakeGuardContext({ stage: 'egress' }));
  return [verdict, code, ...findings.map(({ entity_type, count }) => `${entity_type} ${count}`)];
};

const AGE = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };

describe('the checked text', () => {
  it.each([
    ['{"age": 1}', ['allow', 'well-formed']],
    ['{"age": "1"}', ['block', 'schema-mismatch', 'properties.age.type 1']],
    ['{}', ['block', 'schema-mismatch', 'required 1']],
    ['{"age": 1e999}', ['block', 'schema-mismatch', 'properties.age.type 1']],
    ['', ['block', 'not-json', 'not-json 1']],
  ])('%s', async (text, expected) => {
    expect(await check([content(text)], { schema: AGE })).toEqual(expected);
  });

  it.each([
    ['messages', ['content.1.text', 'content.3.text'], place('content.0.thinking', 'hm'), place('content.2.input.0', '7')],
    [
      'responses',
      ['output.1.content.0.text', 'output.1.content.1.text'],
      place('output.0.content.0.text', 'hm', { is_thinking: true }),
      place('output.2.arguments.0', '7'),
    ],
  ] as const)('is the text of an answer of %s, without thinking and calls', async (_, paths, thinking, called) => {
    const answer = (...texts: string[]) => [thinking, ...texts.map((text, n) => place(paths[n] ?? '', text)), called];
    expect(await check(answer('{"age": ', '1}'), { schema: AGE })).toEqual(['allow', 'well-formed']);
    expect(await check(answer('{"age": ', '"1"}'), { schema: AGE })).toEqual([
      'block',
      'schema-mismatch',
      'properties.age.type 1',
    ]);
    expect(await check(answer(), { schema: AGE })).toEqual(['block', 'no-text', 'no-text 1']);
    expect(await check(answer(), { schema: AGE, allow_no_text: true })).toEqual(['allow', 'well-formed']);
  });

  it('are all answers, or the first', async () => {
    const three = [content('{"age":1}'), content('{}', 1), content('{}', 2)];
    expect(await check(three, { schema: AGE })).toEqual(['block', 'schema-mismatch', 'required 2']);
    expect(await check(three, { schema: AGE, choices: 'first' })).toEqual(['allow', 'well-formed']);
  });

  it('is limited in JSON values, for all answers together', async () => {
    const half = JSON.stringify(Array.from({ length: JSON_LIMITS.values / 2 }, () => 1));
    expect(await check([content(half)])).toEqual(['allow', 'well-formed']);
    expect(await check([content(half), content(half, 1)])).toEqual(['block', 'too-large', 'too-large 1']);
    expect(await check([content('['.repeat(100_000))])).toEqual(['block', 'too-large', 'too-large 1']);
    expect(await check([content('a,'.repeat(JSON_LIMITS.values))])).toEqual(['block', 'not-json', 'not-json 1']);
  });

  it('is the content, in one part or several, and nothing else', async () => {
    const parts = ['{"age"', ':1}'].map((text, part) => place(`choices.0.message.content.${part}.text`, text));
    const others = [
      place('choices.0.message.refusal', 'no JSON'),
      place('choices.0.message.reasoning_content', 'no JSON'),
      place('choices.0.message.content.2.text.3', 'no JSON', { kind: 'key' }),
    ];
    expect(await check([...parts, ...others], { schema: AGE })).toEqual(['allow', 'well-formed']);
  });

  it('an answer without text is refused, unless it may be', async () => {
    const call = place('choices.0.message.tool_calls.0.function.name', 'f', { kind: 'name' });
    expect(await check([call])).toEqual(['block', 'no-text', 'no-text 1']);
    expect(await check([])).toEqual(['block', 'no-text', 'no-text 1']);
    expect(await check([call], { allow_no_text: true })).toEqual(['allow', 'well-formed']);
    expect(await check([place('choices.1.message.content', '1', { choice: 1 })])).toEqual(['block', 'no-text', 'no-text 1']);
  });
});

describe('schemas', () => {
  it('come from a file beside the configuration', async () => {
    writeFileSync(join(folder, 'age.json'), JSON.stringify(AGE));
    expect(await check([content('{}')], { schema_file: 'age.json' })).toEqual(['block', 'schema-mismatch', 'required 1']);
  });

  it.each([
    ['both', { schema: {}, schema_file: 'x.json' }, 'not both'],
    ['a file that is not there', { schema_file: 'none.json' }, 'schema_file: cannot be read (ENOENT)'],
    ['an unknown keyword', { schema: { type: 'object', requierd: ['x'] } }, 'requierd'],
    ['a type that there is not', { schema: { type: 'text' } }, 'schema: '],
    ['an unknown format', { schema: { type: 'string', format: 'url' } }, 'url'],
    ['a reference to nowhere', { schema: { $ref: 'https://example.org/other.json' } }, "can't resolve reference"],
    ['a pattern that RE2 does not take', { schema: { type: 'string', pattern: '(?=a)b' } }, 'schema: '],
    ['an unknown dialect', { schema: { $schema: 'http://json-schema.org/draft-04/schema#' } }, '$schema: must be'],
    ['what would answer later', { schema: { $async: true } }, '$async'],
  ])('are refused: %s', (_, options, message) => {
    expect(() => guardOf(options)).toThrow(message);
  });

  it('are refused in a pipe, which may never be written to', () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect(() => guardOf({ schema_file: 'pipe' })).toThrow('not a regular file');
  });

  it.each([
    ['no JSON', '{', 'is not valid JSON'],
    ['no object', '[]', 'a JSON object'],
  ])('are refused in a file with %s', (name, text, message) => {
    writeFileSync(join(folder, `${name}.json`), text);
    expect(() => guardOf({ schema_file: `${name}.json` })).toThrow(message);
  });

  it.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://json-schema.org/draft/2020-12/schema',
  ])('may use the dialect %s', async ($schema) => {
    const unique = { $schema, type: 'array', uniqueItems: true, items: { type: 'string', format: 'date', pattern: '^\\u0032' } };
    expect(await check([content('["2026-01-01","2026-01-02"]')], { schema: unique })).toEqual(['allow', 'well-formed']);
    expect(await check([content('["2026-01-01","2026-01-01"]')], { schema: unique })).toEqual([
      'block',
      'schema-mismatch',
      'uniqueItems 1',
    ]);
    expect(await check([content('["2026-13-01"]')], { schema: unique })).toEqual(['block', 'schema-mismatch', 'items.format 1']);
    expect(await check([content('["1999-01-01"]')], { schema: unique })).toEqual(['block', 'schema-mismatch', 'items.pattern 1']);
  });
});

describe('an answer that is too much work', () => {
  const nested = (depth: number, leaf: string): string => `${'['.repeat(depth)}${leaf}${']'.repeat(depth)}`;
  const arrays = { type: 'array', items: { $ref: '#' } };
  const objects = { type: 'object', additionalProperties: { $ref: '#' } };

  it.each<[string, object, string]>([
    ['anyOf', { anyOf: [arrays, { ...arrays, maxItems: 5 }, { type: 'number' }] }, nested(60, '"x"')],
    ['oneOf', { oneOf: [arrays, { ...arrays, minItems: 1 }] }, nested(60, '1')],
    ['not', { anyOf: [{ not: arrays }, { not: { not: arrays } }] }, nested(60, '1')],
    ['$defs', { $ref: '#/$defs/n', $defs: { n: { anyOf: [{ items: { $ref: '#/$defs/n' } }, arrays] } } }, nested(60, '1')],
    ['contains', { anyOf: [{ type: 'array', contains: { $ref: '#' } }, arrays, { type: 'number' }] }, nested(60, '"x"')],
    [
      'prefixItems',
      { anyOf: [{ type: 'array', prefixItems: [{ $ref: '#' }], minItems: 1, items: false }, arrays] },
      nested(60, '1'),
    ],
    [
      'properties',
      { anyOf: [objects, { type: 'object', properties: { a: { $ref: '#' } } }] },
      `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`,
    ],
    ['anchors', { $dynamicAnchor: 'n', anyOf: [{ items: { $dynamicRef: '#n' }, type: 'array' }, arrays] }, nested(60, '1')],
  ])('fails the guard: a recursive %s', async (_, schema, text) => {
    await expect(check([content(text)], { schema: { ...schema } })).rejects.toThrow();
  });

  it('delays no other request', async () => {
    const schema = { anyOf: [arrays, { ...arrays, maxItems: 5 }, { type: 'number' }] };
    const held = monitorEventLoopDelay({ resolution: 5 });
    held.enable();
    await check([content(nested(60, '"x"'))], { schema }).catch(() => undefined);
    held.disable();
    expect(held.max / 1_000_000).toBeLessThan(500);
  });

  it('does not prevent the next answer from being judged, and a great deal of work is done', async () => {
    const items = Array.from({ length: 40_000 }, (_, age) => ({ age }));
    const schema = { type: 'array', items: AGE };
    expect(await check([content(JSON.stringify(items))], { schema })).toEqual(['allow', 'well-formed']);
    expect(await check([content(JSON.stringify([...items, {}]))], { schema })).toEqual([
      'block',
      'schema-mismatch',
      'items.required 1',
    ]);
  });

  it('keeps comments of the operator and names of properties unchanged', async () => {
    const schema = {
      $comment: 'ours',
      type: 'object',
      properties: { $comment: { const: { a: 1 } }, enum: { enum: [{ b: [] }] } },
    };
    expect(await check([content('{"$comment": {"a": 1}, "enum": {"b": []}}')], { schema })).toEqual(['allow', 'well-formed']);
    expect(await check([content('{"$comment": {"a": 2}}')], { schema })).toEqual([
      'block',
      'schema-mismatch',
      'properties._.const 1',
    ]);
  });
});
