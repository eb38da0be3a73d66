import type { JsonValue } from '@svc/sdk';
import {
  behaviours,
  fakeGuardContext,
  fakeLogger,
  fakePluginDeps,
  fakeSegments,
  guardConformance,
  startUpstream,
  type Upstream,
} from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import plugin from './index.ts';
import type { Options } from './options.ts';

const answering = (value: unknown) => behaviours.raw(200, behaviours.JSON_HEADERS, JSON.stringify(value));
const MARKER = 'SECRET-MARKER';

let service: Upstream;
beforeAll(async () => {
  service = await startUpstream((request, response) => answering(reply(request.body as never))(request, response));
});
afterAll(() => service.close());

const options = (more: Partial<Options> = {}): Options => ({
  base_url: service.url,
  connections: 8,
  max_response_bytes: 1_000_000,
  model: 'm',
  parameters: { max_tokens: 100 },
  action: 'block',
  categories: {},
  max_characters: 1_000,
  ...more,
});
function guardOf(more: Partial<Options> = {}) {
  const logger = fakeLogger();
  const guard = plugin.create(options(more), { ...fakePluginDeps(), logger, name: 'remote' });
  return { logger, check: (...texts: string[]) => guard.check(fakeSegments('ingress', texts), fakeGuardContext()) };
}

describe('conformance', () => {
  const cases = guardConformance({
    guard: (deps) => plugin.create(options(), deps),
    samples: ['this is forbidden 😀 here'],
    clean: ['hello', ''],
  });
  for (const { name, run } of cases) test(name, run);
});

async function refused(answer: JsonValue): Promise<void> {
  service.respond(answering(answer));
  const { check, logger } = guardOf();
  await expect(check(MARKER)).rejects.toThrow();
  expect(logger.lines.map(({ fields }) => fields)).toMatchObject([
    { event: 'guard_request_failed', node: 'remote', reason: 'no-verdict' },
  ]);
  expect(JSON.stringify(logger.lines)).not.toContain(MARKER);
}

const said = (content: unknown, finish_reason = 'stop') => ({
  id: 'x',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
});
function reply({ messages }: { readonly messages: readonly { readonly content: string }[] }): object {
  return said(messages.at(-1)?.content.includes('forbidden') ? 'unsafe\nS1' : '\n\nsafe');
}

it.each([
  ['safe', 'allow', []],
  ['\n\nsafe ', 'allow', []],
  ['unsafe', 'block', ['unsafe']],
  ['unsafe\nS1', 'block', ['S1']],
  ['\n\nunsafe\nS13,S2', 'block', ['S13', 'S2']],
  ['unsafe\nS13', 'allow', ['S13']],
  ['unsafe\nhate', 'allow', ['hate']],
  ['unsafe\nAlice.Lee, S2', 'block', ['other', 'S2']],
])('%j: %s', async (content, verdict, types) => {
  service.respond(answering(said(content)));
  const result = await guardOf({ categories: { S13: 'flag', hate: 'flag' } }).check('hello');
  expect([result.verdict, result.findings.map(({ entity_type }) => entity_type)]).toEqual([verdict, types]);
});

it('counts the answers that name a category, not how often they name it', async () => {
  service.respond(answering(said('unsafe\nS1,S1,Alice,Bob')));
  expect((await guardOf().check('hello')).findings).toEqual([
    { entity_type: 'S1', count: 1 },
    { entity_type: 'other', count: 1 },
  ]);
});

it('sends a prompt if there is one', async () => {
  await guardOf({ prompt: 'Say safe or unsafe.' }).check('hello', 'world');
  expect(service.requests.at(-1)?.body).toEqual({
    max_tokens: 100,
    model: 'm',
    stream: false,
    messages: [
      { role: 'system', content: 'Say safe or unsafe.' },
      { role: 'user', content: 'hello\n\nworld' },
    ],
  });
});

it('every part of a long text is judged', async () => {
  expect((await guardOf().check(`${'x '.repeat(3_000)}forbidden`)).verdict).toBe('block');
});

describe('is not a verdict', () => {
  it.each<[string, JsonValue]>([
    ['a sentence', said('The text is safe.') as JsonValue],
    ['more than a verdict', said('safe\nunsafe') as JsonValue],
    ['categories that are text', said(`unsafe\nS1, ${MARKER} is one`) as JsonValue],
    ['another case', said('SAFE') as JsonValue],
    ['nothing', said('') as JsonValue],
    ['no text', said(null) as JsonValue],
    ['an answer that was cut off', said('safe', 'length') as JsonValue],
    ['two answers', { choices: [...said('safe').choices, ...said('safe').choices] } as JsonValue],
    ['no answer', { choices: [] }],
  ])('%s', (_what, answer) => refused(answer));
});
