import { fakeGuardContext } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import { decoded } from './percent-encoding.ts';
import { checked, guardOf, requestSegments } from './test-guard.ts';

async function found(text: string, options: object = {}): Promise<string[]> {
  const { findings = [] } = (await guardOf(options).scan?.(text, fakeGuardContext())) ?? {};
  return findings.map(({ entity_type, start, end }) => `${entity_type} ${text.slice(start, end)}`);
}

test.each([
  ['GET /users?mail=jane%40example.com&page=2', ['EMAIL_ADDRESS jane%40example.com']],
  ['https://example.com/u/?to=jane.roe%2Btest%40example.com', ['EMAIL_ADDRESS jane.roe%2Btest%40example.com']],
  ['tel=%2B1%20212-456-7890', ['PHONE_NUMBER %2B1%20212-456-7890']],
  ['card=4111%201111%201111%201111', ['CREDIT_CARD 4111%201111%201111%201111']],
  ['iban=DE89%203704%200044%200532%200130%2000;', ['IBAN_CODE DE89%203704%200044%200532%200130%2000']],
  ['My%20name%20is%20Ren%C3%A9e%20Andr%C3%A9.', ['PERSON Ren%C3%A9e%20Andr%C3%A9']],
  ['100%40 of 3%C3', []],
])('in %s, encoded values are found with all of their code', async (text, expected) => {
  expect(await found(text)).toEqual(expected);
});

test('an encoded value and a plain one have the same placeholder', async () => {
  const { texts } = await checked(
    guardOf(),
    'ingress',
    requestSegments([['user', 'jane@example.com is to=jane%40example.com']]),
    {},
  );
  expect(texts).toEqual(['<EMAIL_ADDRESS_1> is to=<EMAIL_ADDRESS_1>']);
});

test('a link is found as it is written', async () => {
  expect(await found('See https://example.com/a%20b?q=c%40d now', { entities: ['URL'] })).toEqual([
    'URL https://example.com/a%20b?q=c%40d',
  ]);
});

test('what is not UTF-8 stays', () => {
  expect(decoded('%40 %C3%A9 %F4%BF%BF%BF %zz %')).toBe('@ é %F4%BF%BF%BF %zz %');
});
