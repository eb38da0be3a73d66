import type { JsonObject, Segment } from '@svc/sdk';
import { fakeSegments } from '@svc/sdk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checked, guardOf, requestSegments } from './test-guard.ts';

describe('text parts of one message', () => {
  const parts = (texts: readonly string[], content = 'messages.0.content'): Segment[] =>
    requestSegments(texts.map((text) => ['user', text] as const)).map((segment, n) => ({
      ...segment,
      path: `${content}.${n}.text`,
    }));
  const masked = async (texts: readonly string[], written: object = {}) =>
    (await checked(guardOf(written), 'ingress', parts(texts), {})).texts;

  test.each([
    ['a card', ['pay 4111 1111 ', '1111 1111 today'], ['pay <CREDIT_CARD_1>', ' today']],
    ['one whose groups the parts are', ['4111 1111', '1111', '1111'], ['<CREDIT_CARD_1>', '<CREDIT_CARD_1>', '<CREDIT_CARD_1>']],
    ['an address', ['ann@exam', 'ple.org, or bob@example.org'], ['<EMAIL_ADDRESS_1>', ', or <EMAIL_ADDRESS_2>']],
    ['a word of the context and its number', ['my SSN', '536904399'], ['my SSN', '<US_SSN_1>']],
    [
      'what each has of its own',
      ['a@example.org', 'Bob says a@example.org'],
      ['<EMAIL_ADDRESS_1>', '<PERSON_1> says <EMAIL_ADDRESS_1>'],
    ],
    ['no name that only joining makes', ['ask Bob', 'Please sum up'], ['ask <PERSON_1>', 'Please sum up']],
  ])('are read as one: %s', async (_, texts, expected) => {
    expect(await masked(texts)).toEqual(expected);
  });

  test('give no less than each of them alone', async () => {
    const texts = ['card 4111 1111 1111 1111', '2 of a@example.org', '.com or 212-555-0123', '4'];
    expect(await masked(texts)).toEqual(['card <CREDIT_CARD_1>', '2 of <EMAIL_ADDRESS_1>', ' or <PHONE_NUMBER_1>', '4']);
  });

  test('count once what is split over them', async () => {
    const { findings } = await checked(guardOf(), 'ingress', parts(['4111 1111 ', '1111 1111']), {});
    expect(findings).toEqual([{ entity_type: 'CREDIT_CARD', count: 1 }]);
  });

  test('are restored as one', async () => {
    const state: JsonObject = {};
    const guard = guardOf({ restore: true });
    await checked(guard, 'ingress', parts(['ann@exam', 'ple.org']), state);
    const { texts } = await checked(guard, 'egress', fakeSegments('egress', ['to <EMAIL_ADDRESS_1>']), state);
    expect(texts).toEqual(['to ann@example.org']);
  });

  const saidBy = (...list: [string, string][]) => checked(guardOf(), 'ingress', requestSegments(list), {});

  test('are read so over messages that one role says one after the other, and no others', async () => {
    const [one, two] = ['4111 1111 ', '1111 1111'];
    expect((await saidBy(['user', one], ['user', two])).texts).toEqual(['<CREDIT_CARD_1>', '<CREDIT_CARD_1>']);
    expect((await saidBy(['system', one], ['user', 'hello'], ['developer', two])).texts).toEqual([
      '<CREDIT_CARD_1>',
      'hello',
      '<CREDIT_CARD_1>',
    ]);
    expect((await saidBy(['user', one], ['assistant', 'and?'], ['user', two])).verdict).toBe('allow');
  });

  test('are found wherever they are cut', async () => {
    const card = '4111111111111111';
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: card.length - 1 }), { maxLength: 4 }), async (at) => {
        const cuts = [0, ...at.toSorted((a, b) => a - b), card.length];
        const texts = cuts.slice(1).map((end, n) => card.slice(cuts[n], end));
        const said = await masked(texts);
        expect(said).toHaveLength(texts.length);
        expect(said.join('')).not.toMatch(/\d{2}/);
        expect(said).not.toContain('');
      }),
    );
  });
});
