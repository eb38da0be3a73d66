import { stripTypeScriptTypes } from 'node:module';
import { expect, it } from 'vitest';
import type { Schema } from './build-api-schemas.ts';
import { typescriptTypes } from './build-typescript-types.ts';

it.each<[string, Schema]>([
  ['readonly (string | null)[]', { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }],
  ['"a" | 1 | true', { enum: ['a', 1, true] }],
  ['{ readonly [key: string]: unknown; }', { type: 'object' }],
  ['{ readonly [key: string]: number; }', { type: 'object', additionalProperties: { type: 'integer' } }],
  ['{ readonly "x-y": Other; readonly no?: unknown; }', openObject(undefined)],
  ['{ readonly "x-y": Other; readonly no?: unknown; readonly [key: string]: unknown; }', openObject(true)],
])('writes %s', (type, schema) => {
  const text = typescriptTypes({ Name: schema }).replace(/\s+/g, ' ');
  expect(text).toContain(`export type Name = ${type};`);
});

it('keeps a description within its comment', () => {
  const text = typescriptTypes({ Name: { type: 'string', description: 'All of `a/*/b`.' } });
  expect(text).toContain('All of');
  expect(stripTypeScriptTypes(text).trim()).not.toContain('export');
});

function openObject(additionalProperties: boolean | undefined): Schema {
  const properties = { 'x-y': { $ref: '#/components/schemas/Other' }, no: {} };
  return { type: 'object', properties, required: ['x-y'], ...(additionalProperties !== undefined && { additionalProperties }) };
}
