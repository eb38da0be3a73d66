import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { asSvcError } from './errors.ts';

function detailOf(schema: object, body: unknown): string {
  const validate = new Ajv({ strict: false }).compile(schema);
  validate(body);
  return asSvcError({ validation: validate.errors, validationContext: 'body' }).message;
}

const CONTENT = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }, { type: 'null' }] };

it('names every allowed type of a value, and the type of the value that was sent', () => {
  const all = detailOf({ properties: { content: CONTENT } }, { content: 3 });
  for (const word of ['body/content', 'string', 'array', 'null']) expect(all).toContain(word);
  expect(detailOf({ properties: { n: { type: 'integer' } } }, { n: 'x' })).toContain('body/n must be integer');
});
