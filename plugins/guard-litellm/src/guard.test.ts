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
  verdict: 'block',
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

function reply({ texts }: { readonly texts: readonly string[] }): object {
  if (texts.some((text) => text.includes('forbidden'))) return { action: 'BLOCKED', blocked_reason: 'MARKER' };
  const edited = texts.map((text) => text.replaceAll('ACC-1', '<ACCOUNT>'));
  return edited.join() === texts.join() ? { action: 'NONE' } : { action: 'GUARDRAIL_INTERVENED', texts: edited };
}

it('sends every text, and uses the edited ones', async () => {
  const { verdict, edits } = await guardOf({ api_key: 'key', auth_header: 'x-api-key', parameters: { policy: 'strict' } }).check(
    'fine',
    'to ACC-1 😀',
  );
  expect([verdict, edits]).toEqual(['sanitize', [{ segment: 1, start: 0, end: 11, replacement: 'to <ACCOUNT> 😀' }]]);
  const asked = service.requests.at(-1);
  expect([asked?.path, asked?.headers['x-api-key']]).toEqual(['/v1/beta/litellm_basic_guardrail_api', 'key']);
  expect(asked?.body).toMatchObject({
    input_type: 'request',
    texts: ['fine', 'to ACC-1 😀'],
    additional_provider_specific_params: { policy: 'strict' },
  });
});

it.each(['block', 'require_approval'] as const)('BLOCKED gives %s', async (verdict) => {
  expect(await guardOf({ verdict }).check('forbidden')).toMatchObject({ verdict, code: 'guardrail', edits: [] });
});

describe('is not a verdict', () => {
  it.each<[string, JsonValue]>([
    ['no action', {}],
    ['an unknown action', { action: 'MAYBE' }],
    ['an intervention without texts', { action: 'GUARDRAIL_INTERVENED' }],
    ['another number of texts', { action: 'GUARDRAIL_INTERVENED', texts: ['a', 'b'] }],
    ['texts that are none', { action: 'GUARDRAIL_INTERVENED', texts: [MARKER, 1] }],
  ])('%s', (_what, answer) => refused(answer));
});
