import type { JsonObject } from '@svc/sdk';
import { fakeSegments } from '@svc/sdk/testing';
import { describe, expect, test } from 'vitest';
import { checked, guardOf, requestSegments } from './test-guard.ts';

describe('for agents', () => {
  const AGENTS = { preset: 'agents', extra_entities: ['LOCATION', 'NRP'] };
  const sent = async (request: readonly (readonly [string | null, string])[], state: JsonObject = {}) => {
    const { texts } = await checked(guardOf(AGENTS), 'ingress', requestSegments(request), state);
    return { texts, state };
  };
  const answered = async (request: readonly (readonly [string | null, string])[], answer: string) => {
    const { state } = await sent(request);
    return checked(guardOf(AGENTS), 'egress', fakeSegments('egress', [answer]), JSON.parse(JSON.stringify(state)));
  };

  test.each([['system'], ['developer']])('no names are looked for in %s text, and all else is', async (role) => {
    const { texts } = await sent([[role, 'I am Ann Lee of Paris, a German: ann@example.org, card 4111 1111 1111 1111']]);
    expect(texts).toEqual(['I am Ann Lee of Paris, a German: <EMAIL_ADDRESS_1>, card <CREDIT_CARD_1>']);
  });

  test('nor in definitions of tools, and in all that is said and found', async () => {
    const at = (path: string, role: string | null) => ({
      index: 0,
      text: 'I am Ann Lee: ann@example.org',
      kind: 'text' as const,
      role,
      path,
      choice: null,
      origin: 'user' as const,
      untrusted: false,
    });
    const paths = ['tools.0.function.description', 'functions.0.description', 'tool_choice.0', 'response_format.json_schema.0'];
    for (const path of [...paths, 'user', 'prediction.content'])
      expect((await checked(guardOf(AGENTS), 'ingress', [at(path, null)], {})).texts).toEqual([
        paths.includes(path) ? 'I am Ann Lee: <EMAIL_ADDRESS_1>' : 'I am <PERSON_1>: <EMAIL_ADDRESS_1>',
      ]);
    for (const role of ['user', 'assistant', 'tool', 'function'])
      expect((await sent([[role, 'I am Ann Lee']])).texts).toEqual(['I am <PERSON_1>']);
  });

  test.each<[string, string, string, string]>([
    ['messages', 'tools.0.description', 'system.0.text', 'messages.0.content.0.text'],
    ['messages', 'output_config.format.schema.title', 'system', 'messages.0.content'],
    ['responses', 'tools.0.description', 'instructions', 'input.0.content.0.text'],
    ['responses', 'text.format.schema.title', 'instructions', 'input'],
  ])('of %s, %s and %s come first, without names', async (_, defined, system, said) => {
    const at = (index: number, path: string, role: string | null) => ({
      index,
      text: `Ann Lee, a${index}@example.org`,
      kind: 'text' as const,
      role,
      path,
      choice: null,
      origin: 'user' as const,
      untrusted: false,
    });
    const segments = [at(0, said, 'user'), at(1, system, 'system'), at(2, defined, null)];
    const { texts } = await checked(guardOf(AGENTS), 'ingress', segments, {});
    expect(texts).toEqual(['<PERSON_1>, <EMAIL_ADDRESS_3>', 'Ann Lee, <EMAIL_ADDRESS_1>', 'Ann Lee, <EMAIL_ADDRESS_2>']);
  });

  test.each([['system'], ['user'], [null]])('what stands in %s text comes back, each spelling as it was', async (role) => {
    const { texts, verdict, findings } = await answered(
      [[role, 'a@example.org, A@Example.org, +1 212-555-0123, +1 (212) 555 0123']],
      '<EMAIL_ADDRESS_1> <EMAIL_ADDRESS_2> <PHONE_NUMBER_1> <PHONE_NUMBER_2>',
    );
    expect({ texts, verdict, findings }).toEqual({
      texts: ['a@example.org A@Example.org +1 212-555-0123 +1 (212) 555 0123'],
      verdict: 'sanitize',
      findings: [],
    });
  });

  test('what the model writes of its own stays', async () => {
    const written = 'support@example.com, 127.0.0.1, John Smith, <PERSON_7>';
    expect(await answered([['user', 'a@example.org']], written)).toMatchObject({ texts: [written], verdict: 'allow' });
  });

  test('what a message adds changes no number of what stands before it', async () => {
    const turn = [
      [null, 'noreply@example.com'],
      ['system', 'a@example.org'],
      ['user', 'b@example.org'],
    ] as const;
    const next = [
      ['user', 'c@example.org'],
      ['system', 'd@example.org'],
      ['user', 'e@example.org'],
    ] as const;
    const { texts } = await sent(turn);
    // In a request, definitions come after the messages.
    const later = await sent([...turn.slice(1), ...next, ...turn.slice(0, 1)]);
    expect([later.texts.at(-1), ...later.texts.slice(0, 2)]).toEqual(texts);
    expect(later.texts.slice(2, 5)).toEqual(['<EMAIL_ADDRESS_4>', '<EMAIL_ADDRESS_5>', '<EMAIL_ADDRESS_6>']);
  });
});
