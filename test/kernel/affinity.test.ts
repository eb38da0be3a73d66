import type { JsonObject, Protocol, RequestBody } from '@svc/contracts';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import { describe, expect, it } from 'vitest';
import { type Affinity, affinityKey } from '../../kernel/kernel/src/endpoints/affinity.ts';
import { inOrder } from '../../kernel/kernel/src/endpoints/order.ts';

const WEIGHTED = [{ weight: 1 }, { weight: 3 }, { weight: null }];
const keyOf = (
  protocol: Protocol,
  request: JsonObject,
  { affinity = 'cache', principal_id = 'app', endpoints = WEIGHTED, embedding = null as string | null } = {} as {
    affinity?: Affinity;
    principal_id?: string;
    endpoints?: { weight: number | null }[];
    embedding?: string | null;
  },
) => affinityKey({ route: { affinity, endpoints }, principal_id, protocol, request: request as RequestBody, embedding });
const marked = (text: string, mark: JsonObject = { type: 'ephemeral' }) => ({ type: 'text', text, cache_control: mark });
const plain = (text: string) => ({ type: 'text', text });
const user = (...content: JsonObject[]) => ({ role: 'user', content });
const assistant = { role: 'assistant', content: 'well' };

describe('the key of a request', () => {
  it.each([
    ['chat', CHAT, { messages: [] }],
    ['Responses', RESPONSES, { input: 'hello' }],
  ])('is the cache that it names (%s)', (_of, protocol, request) => {
    const key = keyOf(protocol, { ...request, prompt_cache_key: 'c-1' });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(keyOf(CHAT, { messages: [{ role: 'user', content: 'other' }], prompt_cache_key: 'c-1' })).toBe(key);
    expect(keyOf(protocol, { ...request, prompt_cache_key: 'c-2' })).not.toBe(key);
    expect(keyOf(protocol, { ...request, prompt_cache_key: 'c-1' }, { principal_id: 'other' })).not.toBe(key);
  });

  it.each([
    ['there is none', {}, {}],
    ['it is empty', { prompt_cache_key: '' }, {}],
    ['the route has none', { prompt_cache_key: 'c' }, { affinity: 'none' as const }],
    ['one endpoint has a weight', { prompt_cache_key: 'c' }, { endpoints: [{ weight: 1 }, { weight: null }] }],
    ['vectors are asked for', { prompt_cache_key: 'c' }, { embedding: 'block' }],
  ])('does not exist if %s', (_why, fields, more) => {
    expect(keyOf(CHAT, { messages: [], ...fields }, more)).toBeNull();
  });

  it('is the principal if the route says so and no cache is named', () => {
    const key = keyOf(CHAT, { messages: [] }, { affinity: 'principal' });
    expect(keyOf(CHAT, { messages: [{ role: 'user', content: 'x' }] }, { affinity: 'principal' })).toBe(key);
    expect(keyOf(CHAT, { messages: [] }, { affinity: 'principal', principal_id: 'other' })).not.toBe(key);
    expect(keyOf(CHAT, { messages: [], prompt_cache_key: 'c' }, { affinity: 'principal' })).not.toBe(key);
  });
});

describe('the key of a prefix that is marked', () => {
  const system = [plain('rules'), marked('handbook'), plain('today is Monday')];

  it.each([
    ['another question', { system, messages: [user(plain('other'))] }],
    ['a longer conversation', { system, messages: [user(plain('q')), assistant, user(marked('next'))] }],
    ['what stands behind the mark', { system: [...system.slice(0, 2), plain('today is Tuesday')], messages: [user(plain('q'))] }],
    ['another time', { system: [plain('rules'), marked('handbook', { type: 'ephemeral', ttl: '1h' })], messages: [] }],
    ['an earlier mark', { system: [marked('rules'), marked('handbook')], messages: [] }],
  ])('is the same with %s', (_of, request) => {
    expect(keyOf(MESSAGES, request)).toBe(keyOf(MESSAGES, { system, messages: [user(plain('q'))] }));
  });

  it.each([
    ['another text before it', { system: [plain('other rules'), marked('handbook')], messages: [] }],
    ['other tools', { tools: [{ name: 't' }], system, messages: [] }],
    ['no mark', { system: 'rules', messages: [user(plain('q'))] }],
  ])('is different with %s', (_of, request) => {
    expect(keyOf(MESSAGES, request)).not.toBe(keyOf(MESSAGES, { system, messages: [user(plain('q'))] }));
  });

  it('stays the same for a conversation while its mark moves', () => {
    const first = { system: 'rules', messages: [user(marked('question'))] };
    const key = keyOf(MESSAGES, first);
    expect(key).not.toBeNull();
    const question = { role: 'user', content: 'question' };
    for (const messages of [
      [question, assistant, user(marked('and then?'))],
      [user(marked('question')), assistant, user(marked('and then?'))],
      [question, assistant, user({ type: 'tool_result', tool_use_id: 't', content: [marked('result')] })],
    ])
      expect(keyOf(MESSAGES, { system: 'rules', messages })).toBe(key);
    expect(keyOf(MESSAGES, { ...first, messages: [question], cache_control: { type: 'ephemeral' } })).toBe(key);
    expect(keyOf(MESSAGES, { ...first, messages: [user(marked('another question'))] })).not.toBe(key);
  });

  it('ends at the mark of the first turn if that has one', () => {
    const key = keyOf(MESSAGES, { messages: [user(marked('document'), plain('first question'))] });
    expect(keyOf(MESSAGES, { messages: [user(marked('document'), plain('second question'))] })).toBe(key);
  });

  it('is found in a system message of a chat', () => {
    const asked = (question: string) => ({
      messages: [{ role: 'system', content: [marked('handbook')] }, user(plain(question))],
    });
    expect(keyOf(CHAT, asked('a'))).not.toBeNull();
    expect(keyOf(CHAT, asked('a'))).toBe(keyOf(CHAT, asked('b')));
  });
});

it('distributes keys by weight, and moves only the keys of a removed endpoint', () => {
  const endpoints = [1, 3].map((weight) => ({ provider: `p-${weight}`, model: 'm', weight }));
  const keys = Array.from({ length: 4_000 }, (_, index) => keyOf(CHAT, { messages: [], prompt_cache_key: `c-${index}` }) ?? '');
  const firsts = keys.map((key) => inOrder(endpoints, key)[0]?.provider);
  expect(Math.abs(firsts.filter((name) => name === 'p-3').length / keys.length - 0.75)).toBeLessThan(0.035);
  const third = { provider: 'p-2', model: 'm', weight: 2 };
  for (const [index, key] of keys.slice(0, 500).entries()) {
    const [first, second] = inOrder([...endpoints, third], key);
    expect(first === third ? second?.provider : first?.provider).toBe(firsts[index]);
  }
});
