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
  path: 'gateway/decision',
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

async function refused(answer: JsonValue, place: string): Promise<void> {
  service.respond(answering(answer));
  const { check, logger } = guardOf();
  await expect(check(MARKER)).rejects.toThrow();
  expect(logger.lines.map(({ fields }) => fields)).toMatchObject([
    { event: 'guard_request_failed', node: 'remote', reason: 'no-verdict', place },
  ]);
  expect(JSON.stringify(logger.lines)).not.toContain(MARKER);
}

function reply({ input }: { readonly input: { readonly texts: readonly { readonly text: string }[] } }): object {
  return { result: !input.texts.some(({ text }) => text.includes('forbidden')) };
}

describe('the decision', () => {
  it.each<[string, JsonValue, object]>([
    ['true', { result: true }, { verdict: 'allow', code: 'opa' }],
    ['false', { result: false }, { verdict: 'block', code: 'opa' }],
    ['undefined', { decision_id: 'x' }, { verdict: 'block', code: 'undefined' }],
    [
      'an object',
      { result: { verdict: 'require_approval', code: 'names', reason: 'Ask.', more: 1 } },
      { verdict: 'require_approval', code: 'names', hint: { text: 'Ask.' } },
    ],
    ['a reason of two lines', { result: { verdict: 'block', reason: 'a\nb' } }, { verdict: 'block', code: 'opa' }],
    ['a reason to allow', { result: { verdict: 'allow', reason: 'a' } }, { verdict: 'allow', code: 'opa' }],
  ])('%s', async (_what, answer, expected) => {
    service.respond(answering(answer));
    expect(await guardOf().check('hello')).toMatchObject({ edits: [], ...expected });
  });

  it.each([
    ['two lines', `${MARKER}\nof a policy`, true],
    ['nothing', '', true],
    ['one line', 'Ask.', false],
  ])('is logged without its reason if that is %s', async (_what, reason, isLogged) => {
    service.respond(answering({ result: { verdict: 'block', reason } }));
    const { check, logger } = guardOf();
    expect((await check('hello')).verdict).toBe('block');
    const logged = logger.lines.map(({ fields }) => fields);
    expect(logged).toMatchObject(isLogged ? [{ event: 'guard_reason_left_out', node: 'remote' }] : []);
    expect(JSON.stringify(logged)).not.toContain(MARKER);
  });

  it('is requested at its path, with all facts', async () => {
    await guardOf().check('hello');
    expect(service.requests.at(-1)).toMatchObject({
      path: '/v1/v1/data/gateway/decision',
      body: {
        input: { version: 1, stage: 'ingress', route: 'default', principal: 'alice', texts: [{ text: 'hello', role: 'user' }] },
      },
    });
  });
});

describe('is not a verdict', () => {
  const DECISION = '#/properties/result/anyOf/1';
  it.each<[string, JsonValue, string]>([
    ['an error', { errors: [MARKER], result: 7 }, DECISION],
    ['no verdict', { result: {} }, DECISION],
    ['an unknown verdict', { result: { verdict: `${MARKER}` } }, `${DECISION}/properties/verdict`],
    ['a code that is a sentence', { result: { verdict: 'allow', code: `${MARKER} is one` } }, `${DECISION}/properties/code`],
    ['null', { result: null }, DECISION],
    ['a list', [true], '#'],
  ])('%s', (_what, answer, place) => refused(answer, place));
});
