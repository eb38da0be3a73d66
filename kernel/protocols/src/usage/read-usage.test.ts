import { isObject, type JsonObject } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { chatUsage } from '../chat/usage.ts';
import { isCount } from '../common/count.ts';
import { messagesUsage } from '../messages/usage.ts';
import { responsesUsage } from '../responses/usage.ts';
import { readUsage } from './read-usage.ts';
import { RECORDED } from './test-recorded-usages.ts';
import { usageIn } from './usage-in.ts';

describe('a usage', () => {
  test.each(RECORDED)('of %s is read', (_, usage, tokens) => {
    expect(readUsage(usage)).toEqual({ cached_input_tokens: 0, estimated: false, ...tokens });
  });

  test.each(RECORDED)('of %s is the same in the words of each API', (_, usage) => {
    const tokens = readUsage(usage);
    if (tokens === null) return expect.unreachable();
    expect(readUsage(chatUsage(tokens))).toEqual(tokens);
    const { input_audio_tokens: _in, output_audio_tokens: _out, ...said } = tokens;
    expect(readUsage(messagesUsage(tokens))).toEqual(said);
    const { cache_write_1h_tokens = 0, cache_write_5m_tokens = 0, web_searches: _searches, ...plain } = said;
    const written = cache_write_1h_tokens + cache_write_5m_tokens;
    expect(readUsage(responsesUsage(tokens))).toEqual({ ...plain, ...(written > 0 && { cache_write_5m_tokens: written }) });
  });

  test.each(RECORDED)('of %s is in canonical order', (_, usage) => {
    const tokens = readUsage(usage);
    const names = Object.keys(tokens ?? {});
    expect(names).toEqual(names.toSorted());
  });

  it.each([
    ['null', null],
    ['a text', 'many'],
    ['a list', [1, 2]],
    ['nothing', {}],
    ['other members', { cost: 1 }],
    ['an input alone', { prompt_tokens: 3 }],
    ['an output alone', { completion_tokens: 3 }],
    ['a negative input', { prompt_tokens: -1, completion_tokens: 1 }],
    ['more than anybody has', { prompt_tokens: 1e12, completion_tokens: 1 }],
    ['more together than anybody has', { input_tokens: 9e7, cache_read_input_tokens: 9e7, output_tokens: 1 }],
  ])('that is %s is ignored', (_, usage) => expect(readUsage(usage)).toBeNull());

  it('keeps every valid part, whatever else is there, and no part exceeds its whole', () => {
    const count = fc.oneof(fc.nat(1000), fc.constantFrom(-1, 1.5, null, 'x', {}, [], 1e300));
    const names = new Set(RECORDED.flatMap(([, usage]) => Object.keys(usage)));
    const value = fc.oneof(count, fc.dictionary(fc.constantFrom('cached_tokens', 'reasoning_tokens', 'audio_tokens'), count));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (members) => {
        const tokens = readUsage({ ...members, prompt_tokens: 10, completion_tokens: 5 });
        if (tokens === null) return expect.unreachable();
        const { input_tokens, output_tokens, cached_input_tokens, estimated: _, ...parts } = tokens;
        const { cache_write_1h_tokens = 0, cache_write_5m_tokens = 0, reasoning_tokens = 0 } = parts;
        expect(Object.values(parts).every(isCount)).toBe(true);
        expect(input_tokens).toBeGreaterThanOrEqual(10);
        expect(output_tokens).toBeGreaterThanOrEqual(5);
        expect(cached_input_tokens + cache_write_1h_tokens + cache_write_5m_tokens).toBeLessThanOrEqual(input_tokens);
        expect(reasoning_tokens).toBeLessThanOrEqual(output_tokens);
      }),
    );
  });
});

describe('the usage of an answer', () => {
  const usage: JsonObject = { prompt_tokens: 3, completion_tokens: 4 };

  it.each<[string, JsonObject]>([
    ['usage', { usage, x_groq: { usage: { prompt_tokens: 9 } } }],
    ['x_groq', { x_groq: { usage } }],
    ['its last choice', { usage: null, choices: [{}, { usage }, { usage: null }] }],
    ['usageMetadata', { usageMetadata: usage }],
    ['meta', { meta: usage }],
    ['timings', { timings: usage }],
  ])('is found in %s', (_, answer) => expect(usageIn(answer)).toBe(usage));

  it('is the answer itself for Ollama, and null without one', () => {
    const answer = { eval_count: 1, prompt_eval_count: 2 };
    expect(usageIn(answer)).toBe(answer);
    expect(usageIn({ choices: [] })).toBeNull();
    expect(isObject(usageIn({}))).toBe(false);
  });
});
