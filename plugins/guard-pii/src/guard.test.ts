import type { JsonObject } from '@svc/sdk';
import { fakeGuardContext, fakeSegments } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import pii from './index.ts';
import { checked, guardOf, requestSegments } from './test-guard.ts';

const user = (...texts: string[]) => requestSegments(texts.map((text) => ['user', text] as const));
const ingress = async (written: object, ...texts: string[]) => checked(guardOf(written), 'ingress', user(...texts), {});

describe('the options of pii', () => {
  const valid = (written: object): boolean => Value.Check(pii.options, Value.Default(pii.options, written));

  test.each<[string, object, boolean]>([
    ['nothing', {}, true],
    ['a list', { entities: ['EMAIL_ADDRESS', 'URL'], threshold: 0.5, allow_list: ['a@b.com'] }, true],
    ['an unknown entity', { entities: ['SHOE_SIZE'] }, false],
    ['a threshold above 1', { threshold: 1.1 }, false],
    ['an unknown language', { languages: ['en', 'xx'] }, false],
    ['an unknown key', { entity: [] }, false],
    ['a recogniser without a pattern', { recognizers: [{ entity: 'X' }] }, false],
    ['an entity that no placeholder can hold', { recognizers: [{ entity: 'badge', pattern: 'x' }] }, false],
  ])('%s', (_, written, isValid) => {
    expect(valid(structuredClone(written))).toBe(isValid);
  });

  test.each<[string, object, string]>([
    ['a pattern that RE2 does not take', { recognizers: [{ entity: 'X', pattern: 'a(?=b)' }] }, 'recognizers[0].pattern (X): '],
    ['a stream that cannot wait', { verdict: 'require_approval', stream: 'window' }, 'stream: window'],
    ['restoring what has left', { restore: true, stream: 'post' }, 'stream: post'],
    ['restoring what was refused', { restore: true, verdict: 'block' }, 'restore'],
    ['restoring for agents what has left', { preset: 'agents', stream: 'post' }, 'stream: post'],
    ['restoring for agents what was refused', { preset: 'agents', verdict: 'block' }, 'restore'],
  ])('refuses %s, by its key', (_, written, prefix) => {
    expect(() => guardOf(written)).toThrow(prefix);
  });
});

describe('the guard pii', () => {
  test('masks personal data, and nothing else, by default', async () => {
    const { texts, verdict, findings } = await ingress(
      {},
      'I am Ann Lee, ann@example.org. On 12 March 2024 I saw https://example.org/x, a Belgian page.',
    );
    expect(texts).toEqual(['I am <PERSON_1>, <EMAIL_ADDRESS_1>. On 12 March 2024 I saw https://example.org/x, a Belgian page.']);
    expect(verdict).toBe('sanitize');
    expect(findings.toSorted((a, b) => (a.entity_type < b.entity_type ? -1 : 1))).toEqual([
      { entity_type: 'EMAIL_ADDRESS', count: 1 },
      { entity_type: 'PERSON', count: 1 },
    ]);
  });

  test('masks names only in texts of the listed languages, and everything else in all', async () => {
    const german = 'Ich bin Anna Schneider und meine Adresse ist anna@example.org.';
    const english = 'I am Ann Lee and my address is ann@example.org.';
    expect((await ingress({}, german)).texts).toEqual(['Ich bin Anna Schneider und meine Adresse ist <EMAIL_ADDRESS_1>.']);
    expect((await ingress({}, english)).texts).toEqual(['I am <PERSON_1> and my address is <EMAIL_ADDRESS_1>.']);
    const onlyGerman = { languages: ['de'] };
    expect((await ingress(onlyGerman, german)).texts).toEqual(['Ich bin <PERSON_1> und meine Adresse ist <EMAIL_ADDRESS_1>.']);
    expect((await ingress(onlyGerman, english)).texts).toEqual(['I am Ann Lee and my address is <EMAIL_ADDRESS_1>.']);
  });

  test('masks the optional entities only if they are listed', async () => {
    const text = 'on 12 March 2024 at https://example.org/x, SIN 046 454 286';
    const { texts } = await ingress({ extra_entities: ['DATE_TIME', 'URL', 'NATIONAL_INSURANCE_NUMBER'] }, text);
    expect(texts).toEqual(['on <DATE_TIME_1> at <URL_1>, SIN <NATIONAL_INSURANCE_NUMBER_1>']);
    expect((await ingress({ entities: ['URL'] }, `${text} a@example.org`)).texts).toEqual([
      'on 12 March 2024 at <URL_1>, SIN 046 454 286 a@example.org',
    ]);
    expect((await ingress({ exclude: ['EMAIL_ADDRESS'] }, 'a@example.org')).verdict).toBe('allow');
  });

  test('gives a value the same placeholder in any spelling, in all messages', async () => {
    const { texts } = await ingress(
      {},
      'call +1 212-555-0123 or (415) 555-2671',
      'again: +1 (212) 555 0123',
      'A@Example.org a@example.ORG',
    );
    expect(texts).toEqual([
      'call <PHONE_NUMBER_1> or <PHONE_NUMBER_2>',
      'again: <PHONE_NUMBER_1>',
      '<EMAIL_ADDRESS_1> <EMAIL_ADDRESS_1>',
    ]);
  });

  test('leaves the values of the allow list, as whole values in any case', async () => {
    const { texts } = await ingress({ allow_list: ['Support@Example.org'] }, 'support@example.org, my-support@example.org');
    expect(texts).toEqual(['support@example.org, <EMAIL_ADDRESS_1>']);
  });

  test('does not treat the label of a number as a name', async () => {
    const { texts } = await ingress({}, 'IBAN: GB82 WEST 1234 5698 7654 32. SSN: 536-90-4399');
    expect(texts).toEqual(['IBAN: <IBAN_CODE_1>. SSN: <US_SSN_1>']);
  });

  test('ignores invisible characters: a value with them is the same value', async () => {
    const hidden = 'card 4111\u200b1111\u200b1111\u200b1111, SSN 536\ufeff-90-4399, \u202eann\u00ad@exam\u2060ple.org\u202c';
    const { texts } = await ingress({ allow_list: ['b@example.org'] }, `${hidden}, b@exam\u200bple.org`, 'ann@example.org');
    expect(texts).toEqual([
      'card <CREDIT_CARD_1>, SSN <US_SSN_1>, \u202e<EMAIL_ADDRESS_1>\u202c, b@exam\u200bple.org',
      '<EMAIL_ADDRESS_1>',
    ]);
  });

  test('respects the threshold', async () => {
    expect((await ingress({ threshold: 0.6 }, '460-89-9847')).verdict).toBe('allow');
    expect((await ingress({ threshold: 0.6 }, 'SSN 460-89-9847')).verdict).toBe('sanitize');
  });

  test('finds the values of the recognisers that an operator added', async () => {
    const recognizers = [{ entity: 'BADGE', pattern: '\\bB\\d{4}\\b', score: 0.2, context: ['badge'] }];
    const { texts } = await ingress({ entities: [], recognizers }, 'B1234, but badge B1234 of B12345');
    expect(texts).toEqual(['B1234, but badge <BADGE_1> of B12345']);
  });

  test.each(['block', 'require_approval'])('gives %s where that is asked for, the text masked', async (verdict) => {
    const result = await ingress({ verdict }, 'a@example.org');
    expect(result).toMatchObject({ verdict, code: 'pii', texts: ['<EMAIL_ADDRESS_1>'] });
    expect((await ingress({ verdict }, 'nothing')).verdict).toBe('allow');
  });

  test('distinguishes its placeholders from texts that look similar', async () => {
    const { texts } = await ingress({}, 'a@example.org is not <EMAIL_ADDRESS_1>, b@example.org is not <EMAIL_ADDRESS_9>');
    expect(texts).toEqual(['<EMAIL_ADDRESS_1> is not <EMAIL_ADDRESS_2>, <EMAIL_ADDRESS_3> is not <EMAIL_ADDRESS_9>']);
  });

  test('recognises its own placeholders when it checks again after a pause', async () => {
    const guard = guardOf();
    const state: JsonObject = {};
    const first = await checked(guard, 'ingress', user('a@example.org'), state);
    const again = await checked(guardOf(), 'ingress', user(...first.texts), JSON.parse(JSON.stringify(state)));
    expect(again).toMatchObject({ verdict: 'allow', texts: ['<EMAIL_ADDRESS_1>'] });
  });

  test('continues the numbers in the answer', async () => {
    const guard = guardOf();
    const state: JsonObject = {};
    await checked(guard, 'ingress', user('a@example.org'), state);
    const { texts } = await checked(
      guard,
      'egress',
      fakeSegments('egress', ['b@example.org wrote to <EMAIL_ADDRESS_1>, a@example.org']),
      state,
    );
    expect(texts).toEqual(['<EMAIL_ADDRESS_2> wrote to <EMAIL_ADDRESS_1>, <EMAIL_ADDRESS_1>']);
  });

  test('masks the names of participants in the form that APIs accept, and leaves the names of tools', async () => {
    const named = (role: string | null, path: string) =>
      ({ index: 0, text: 'Maria', kind: 'name', role, path, choice: null, origin: 'user' as const, untrusted: false }) as const;
    const segments = [
      named('user', 'messages.0.name'),
      named('tool', 'messages.1.name'),
      named(null, 'tools.0.function.name'),
      named('assistant', 'messages.2.tool_calls.0.function.name'),
      named('assistant', 'messages.2.content.0.name'),
      named('assistant', 'input.2.name'),
      named('user', 'input.3.name'),
    ].map((segment, index) => ({ ...segment, index }));
    const { texts } = await checked(guardOf(), 'ingress', segments, {});
    expect(texts).toEqual(['PERSON_1', 'Maria', 'Maria', 'Maria', 'Maria', 'Maria', 'PERSON_1']);
  });

  test('scans large texts in a worker with the same result', async () => {
    const text = 'write to a@example.org, or ann@example.com. ';
    const [short, long] = await Promise.all([ingress({}, text), ingress({}, text.repeat(2000))]);
    expect(long.texts[0]).toBe(short.texts[0]?.repeat(2000));
  });

  test('shows what it finds, outside a run', async () => {
    const scan = await guardOf({ allow_list: ['b@example.org'] }).scan?.(
      'a@example.org b@example.org <PERSON_1>',
      fakeGuardContext(),
    );
    expect(scan).toEqual({
      findings: [{ entity_type: 'EMAIL_ADDRESS', start: 0, end: 13, score: 1 }],
      sanitized: '<EMAIL_ADDRESS_1> b@example.org <PERSON_1>',
    });
  });
});

describe('restore', () => {
  const restored = async (request: readonly (readonly [string | null, string])[], answer: string) => {
    const guard = guardOf({ restore: true });
    const state: JsonObject = {};
    await checked(guard, 'ingress', requestSegments(request), state);
    return checked(guardOf({ restore: true }), 'egress', fakeSegments('egress', [answer]), JSON.parse(JSON.stringify(state)));
  };

  test('restores the own values of the caller', async () => {
    const { texts, verdict, code, findings } = await restored([['user', 'mail A@example.org']], 'done: <EMAIL_ADDRESS_1>');
    expect({ texts, verdict, code, findings }).toEqual({
      texts: ['done: A@example.org'],
      verdict: 'sanitize',
      code: 'placeholders',
      findings: [],
    });
  });

  test.each([['system'], ['developer'], [null]])('never puts back what only stands in %s text', async (role) => {
    const { texts, verdict } = await restored(
      [
        [role, 'admin is root@example.org'],
        ['user', 'who is admin?'],
      ],
      '<EMAIL_ADDRESS_1>',
    );
    expect({ texts, verdict }).toEqual({ texts: ['<EMAIL_ADDRESS_1>'], verdict: 'allow' });
  });

  test('also restores placeholders that the caller wrote', async () => {
    const { texts } = await restored(
      [
        ['system', 'admin is root@example.org'],
        ['user', 'I am root@example.org'],
      ],
      '<EMAIL_ADDRESS_1>',
    );
    expect(texts).toEqual(['root@example.org']);
  });

  test('masks what the model says about others, and leaves placeholders that are not its own', async () => {
    const { texts } = await restored([['user', 'a@example.org']], 'a@example.org, b@example.org, <EMAIL_ADDRESS_7>');
    expect(texts).toEqual(['a@example.org, <EMAIL_ADDRESS_2>, <EMAIL_ADDRESS_7>']);
  });

  test('returns a text that only looked like a placeholder unchanged', async () => {
    const { texts } = await restored(
      [['user', 'a@example.org, not <EMAIL_ADDRESS_1>']],
      'it is <EMAIL_ADDRESS_2> or <EMAIL_ADDRESS_1>',
    );
    expect(texts).toEqual(['it is <EMAIL_ADDRESS_1> or a@example.org']);
  });
});

test("a key of a tool call's arguments is context for its value, and names of participants are read with spaces", async () => {
  const at = 'messages.0.tool_calls.0.function.arguments';
  const argument = (i: number, key: string, value: string) =>
    (['key', 'argument'] as const).map((kind, n) => ({
      index: 2 * i + n,
      kind,
      text: kind === 'key' ? key : value,
      path: `${at}.${i}`,
      role: 'assistant',
      choice: null,
      origin: 'user' as const,
      untrusted: false,
    }));
  const given = [
    ...argument(0, 'socialSecurityNumber', '460899847'),
    ...argument(1, 'phone', '2125550123'),
    ...argument(2, 'order', '460899847'),
    {
      index: 6,
      kind: 'name' as const,
      text: 'Maria_Gonzalez',
      path: 'messages.1.name',
      role: 'user',
      choice: null,
      origin: 'user' as const,
      untrusted: false,
    },
  ];
  const { edits } = await guardOf({}).check(given, fakeGuardContext());
  expect(edits.map(({ segment, replacement }) => [segment, replacement])).toEqual([
    [1, '<US_SSN_1>'],
    [3, '<PHONE_NUMBER_1>'],
    [6, 'PERSON_1'],
  ]);
});
