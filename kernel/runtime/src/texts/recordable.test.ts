import { parseBody } from '@svc/contracts';
import { expect, it } from 'vitest';
import { whyUnrecordable } from './recordable.ts';

it.each([
  ['{"id":12345678901234567890,"half":[0.1234567890123456789,1e-400]}', null],
  ['{"id":[1e400]}', 'number_too_large'],
  [`{"id":-1${'0'.repeat(400)}}`, 'number_too_large'],
])('%s: %s', (text, why) => {
  const counted = { values: 0 };
  expect(whyUnrecordable(parseBody(text), counted)).toBe(why);
  if (why === null) expect(counted.values).toBe(5);
});
