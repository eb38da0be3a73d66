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

const result = (categories: Readonly<Record<string, boolean>>, category_scores: Readonly<Record<string, number>> = {}) => ({
  flagged: Object.values(categories).includes(true),
  categories,
  category_scores,
});
function reply({ input }: { readonly input: readonly string[] }): object {
  return {
    id: 'x',
    results: input.map((text) =>
      result(
        { 'harassment/threatening': text.includes('forbidden'), violence: false },
        { violence: text.includes('harsh') ? 0.7 : 0.1 },
      ),
    ),
  };
}

it('blocks a category, and records its name', async () => {
  expect(await guardOf().check('fine', 'forbidden')).toEqual({
    verdict: 'block',
    code: 'moderation',
    edits: [],
    findings: [{ entity_type: 'harassment.threatening', count: 1 }],
  });
});

it.each([
  [0.7, 'require_approval'],
  [0.71, 'allow'],
] as const)('a threshold of %d: %s', async (threshold, verdict) => {
  expect((await guardOf({ categories: { violence: { threshold, action: 'require_approval' } } }).check('harsh')).verdict).toBe(
    verdict,
  );
});

it('only flags the categories that are set to flag', async () => {
  const { verdict, findings } = await guardOf({ categories: { 'harassment/threatening': { action: 'flag' } } }).check(
    'forbidden',
  );
  expect([verdict, findings.length]).toEqual(['allow', 1]);
});

it('blocks a text that is flagged without a category', async () => {
  service.respond(answering({ results: [{ flagged: true, categories: {}, category_scores: {} }] }));
  expect(await guardOf().check('hello')).toMatchObject({ verdict: 'block', findings: [{ entity_type: 'other' }] });
});

it('judges every part of a long text', async () => {
  expect((await guardOf().check(`${'😀 '.repeat(20_000)}forbidden`)).verdict).toBe('block');
  const texts = service.requests.slice(-5).flatMap(({ body }) => (body as { input: string[] }).input);
  expect(texts.every(({ length }) => length <= 1_000)).toBe(true);
});

describe('is not a verdict', () => {
  it.each<[string, JsonValue]>([
    ['no results', {}],
    ['too few', { results: [] }],
    ['no categories', { results: [{ flagged: false }] }],
    ['a category that is text', { results: [{ flagged: true, categories: { [`${MARKER} is`]: true }, category_scores: {} }] }],
  ])('%s', (_what, answer) => refused(answer));

  it('one without a score for a threshold', async () => {
    await expect(guardOf({ categories: { hate: { threshold: 0.5 } } }).check('hello')).rejects.toThrow();
  });
});
