import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, broken, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';

const openai = (message: string, fields: object = {}) => ({ error: { message, type: 'invalid_request_error', ...fields } });
const google = (status: string, message: string, reason?: string) => [
  { error: { status, message, ...(reason !== undefined && { details: [{ reason }] }) } },
];
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } });

/** What one endpoint answers, whether the next is asked (and what is said of the first call), and for which cause its circuit is open then. */
interface Row {
  readonly of: string;
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly outcome: string;
  readonly next: boolean;
  readonly cause: string | null;
}

const row = (outcome: string, next: boolean, cause: string | null) => {
  return (of: string, status: number, body: unknown, headers?: Record<string, string>): Row => ({
    of,
    status,
    body,
    outcome,
    next,
    cause,
    ...(headers && { headers }),
  });
};
const key = row('configuration', true, 'key');
const access = row('configuration', true, 'access');
const credit = row('configuration', true, 'credit');
const notFound = row('configuration', true, 'not_found');
const passing = row('unavailable', true, null);
const own = row('invalid_request', false, null);

const ROWS: readonly Row[] = [
  key('OpenAI', 401, openai('Incorrect API key provided: sk-x.', { code: 'invalid_api_key' })),
  key('Anthropic', 401, anthropic('authentication_error', 'invalid x-api-key')),
  key('Azure', 401, { error: { code: '401', message: 'Access denied due to invalid subscription key or wrong API endpoint.' } }),
  key('Mistral', 401, { detail: 'Unauthorized' }),
  key('DeepSeek', 401, openai('Authentication Fails (no such user)')),
  key('OpenRouter', 401, { error: { code: 401, message: 'No auth credentials found' } }),
  key('no JSON', 401, 'Unauthorized'),
  key('Gemini', 400, google('INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 'API_KEY_INVALID')),
  key('Gemini, expired', 400, google('INVALID_ARGUMENT', 'API key expired. Please renew the API key.', 'API_KEY_INVALID')),
  key('Gemini, through a proxy', 400, { error: { message: 'API key not valid. Please pass a valid API key.' } }),
  key('xAI', 400, { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***.' }),
  key('Bedrock', 403, { message: 'The security token included in the request is invalid.' }),
  access('OpenAI', 403, openai('Country, region, or territory not supported', { code: 'unsupported_country_region_territory' })),
  access('Anthropic', 403, anthropic('permission_error', 'Your API key does not have permission to use the specified resource.')),
  access('Gemini', 403, google('PERMISSION_DENIED', 'Your API key was denied.')),
  access('Gemini, of a place', 400, google('FAILED_PRECONDITION', 'User location is not supported for the API use.')),
  access('no JSON', 403, '<h1>Forbidden</h1>'),
  credit('Anthropic', 400, anthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.')),
  credit('Anthropic, later', 402, anthropic('billing_error', 'x')),
  credit('OpenRouter', 402, { error: { code: 402, message: 'Insufficient credits' } }),
  credit('DeepSeek', 402, openai('Insufficient Balance')),
  credit('Perplexity', 401, { error: { type: 'insufficient_quota', message: 'You exceeded your current quota', code: 401 } }),
  credit('xAI', 403, { error: 'Your team has used all available credits or reached its monthly spending limit.' }),
  credit('Fireworks', 412, openai('Account x is suspended, possibly due to reaching the monthly spending limit')),
  credit('no JSON', 402, ''),
  row('rate_limited', true, 'credit')('OpenAI', 429, openai('x', { type: 'insufficient_quota', code: 'insufficient_quota' })),
  row('rate_limited', true, 'credit')('Moonshot', 429, openai('x', { type: 'exceeded_current_quota_error' })),
  notFound('OpenAI', 404, openai('The model `gpt-9` does not exist.', { code: 'model_not_found' })),
  notFound('Azure', 404, { error: { code: 'DeploymentNotFound', message: 'x' } }),
  notFound('Anthropic', 404, anthropic('not_found_error', 'model: claude-9')),
  notFound('Mistral', 400, { message: 'Invalid model: x', type: 'invalid_model', code: '1500' }),
  notFound('a wrong address', 404, '<h1>Not Found</h1>'),
  notFound('a wrong address', 405, { detail: 'Method Not Allowed' }),
  notFound('a retired model', 410, {}),
  notFound('a redirect', 308, '', { location: 'https://elsewhere.example/' }),
  row('rate_limited', true, null)('any', 429, openai('Rate limit reached', { code: 'rate_limit_exceeded' })),
  row('rate_limited', true, null)('any, with a pause', 429, openai('x'), { 'retry-after': '30' }),
  row('timeout', true, null)('any', 408, ''),
  row('timeout', true, null)('any', 504, ''),
  passing('a lock', 409, openai('x')),
  passing('a lock', 423, ''),
  passing('Bedrock', 424, { message: 'x' }),
  passing('any', 425, ''),
  passing('any', 500, openai('x', { type: 'server_error' })),
  passing('any', 502, '<h1>Bad gateway</h1>'),
  passing('any, with a pause', 503, '', { 'retry-after': '30' }),
  passing('Cloudflare', 524, ''),
  passing('Anthropic', 529, anthropic('overloaded_error', 'Overloaded')),
  row('configuration', true, null)('no status of its own', 418, ''),
  own('any', 400, openai('Unknown parameter: x.')),
  own('any', 413, ''),
  own('any', 422, { detail: [{ msg: 'Field required' }] }),
  own('a text that speaks of keys', 400, openai("Invalid value: 'API key not valid'.", { code: 'invalid_value' })),
  own('OpenRouter', 403, { error: { code: 403, message: 'x requires moderation' } }),
  own('xAI', 403, { error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO' }),
  own('OpenAI, of a file', 404, openai('No such File object: file-x', { param: 'id' })),
  own('OpenAI, of an item', 404, openai("Item with id 'rs_1' not found.", { param: 'input' })),
  own('Anthropic, of a file', 404, anthropic('not_found_error', 'File not found: file_x')),
  own('OpenRouter, of tools', 404, { error: { code: 404, message: 'No endpoints found that support tool use.' } }),
];

let dead: Upstream;
let well: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  [dead, well] = [await startUpstream(), await startUpstream()];
  const provider = ({ url }: Upstream, region: string) => ({ type: 'openai', base_url: url, region });
  const pipeline = { ingress: [], egress: [] };
  const names = ['again', 'once', 'reset', ...ROWS.flatMap((_, index) => [`whole-${index}`, `streamed-${index}`])];
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: { dead: provider(dead, 'eu'), well: provider(well, 'eu') },
      routes: {
        ...Object.fromEntries(
          names.map((model) => [model, { provider: 'dead', model, fallbacks: [{ provider: 'well', model: 'm' }], pipeline }]),
        ),
        alone: { provider: 'dead', model: 'alone', pipeline },
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  for (const upstream of [dead, well]) await upstream.close();
});

async function ask(model: string, stream = false) {
  const run_id = stream
    ? (await readStream(gateway, 'hello', { model })).run_id
    : ((await gateway.chat('hello', { model })).headers.get('x-svc-run-id') ?? '');
  const { events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
  return events
    .filter(({ event_type }: JsonObject) => event_type === 'provider_call')
    .map(({ data }: { data: JsonObject }) => data) as JsonObject[];
}
const outcomes = async (model: string, stream = false) =>
  (await ask(model, stream)).map(({ provider, outcome }) => [provider, outcome]);
const lines = (event: string, model: string): JsonObject[] =>
  gateway.output
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`) && line.includes(`"model":"${model}"`))
    .map((line) => JSON.parse(line));
/** The causes for which a circuit of this model is open. */
async function open(model: string): Promise<string[]> {
  const { text } = await gateway.get('/metrics', null);
  return [
    ...text.matchAll(new RegExp(`^svc_upstream_circuit_open\\{provider="dead",model="${model}",cause="(\\w+)"\\} 1$`, 'gm')),
  ].map(([, cause = '']) => cause);
}

describe.each([false, true])('one endpoint refuses or fails (stream: %s)', (stream) => {
  it.each(ROWS.map((each, index) => [each.of, each.status, each, index] as const))(
    '%s with %i',
    async (_of, status, each, index) => {
      const model = `${stream ? 'streamed' : 'whole'}-${index}`;
      const body = typeof each.body === 'string' ? each.body : JSON.stringify(each.body);
      dead.respond(raw(status, { ...JSON_HEADERS, ...each.headers }, body));
      const next = each.next ? [['well', 'answered']] : [];
      expect(await outcomes(model, stream)).toEqual([['dead', each.outcome], ...next]);
      expect(await open(model)).toEqual(each.cause === null ? [] : [each.cause]);
      expect(lines('circuit_opened', model)).toMatchObject(each.cause === null ? [] : [{ provider: 'dead', cause: each.cause }]);
      const asked = dead.requests.length;
      const again = await outcomes(model, stream);
      expect(again).toEqual(
        each.cause === null
          ? [['dead', 'answered']]
          : [
              ['dead', 'skipped'],
              ['well', 'answered'],
            ],
      );
      expect(dead.requests).toHaveLength(each.cause === null ? asked + 1 : asked);
      expect(lines('circuit_opened', model)).toHaveLength(each.cause === null ? 0 : 1);
    },
  );
});

describe('the only endpoint', () => {
  it.each([
    [401, openai('x'), 502, 'SVC-PROV-003'],
    [402, '', 402, 'SVC-PROV-005'],
    [403, '', 502, 'SVC-PROV-003'],
    [404, '', 502, 'SVC-PROV-003'],
    [400, google('INVALID_ARGUMENT', 'API key not valid.', 'API_KEY_INVALID'), 502, 'SVC-PROV-003'],
  ])('that refuses with %i is called each time, and its refusal is never passed on', async (status, body, told, code) => {
    for (let asked = 0; asked < 2; asked += 1) {
      dead.respond(raw(status, JSON_HEADERS, JSON.stringify(body)));
      const { requests } = dead;
      const before = requests.length;
      const response = await gateway.chat('hello', { model: 'alone' });
      expect(response).toMatchObject({ status: told, body: { code } });
      expect(requests).toHaveLength(before + 1);
    }
  });
});

describe('a connection that breaks before any byte of an answer', () => {
  const connections = () => dead.requests.slice(-2).map(({ connection }) => connection);
  beforeEach(async () => {
    dead.respond(answer());
    await ask('once');
  });

  it.each([false, true])('is replaced at once if it was reused, and the evidence records this (stream: %s)', async (stream) => {
    dead.respond(broken());
    const calls = await ask('reset', stream);
    expect(calls).toMatchObject([{ provider: 'dead', attempt: 1, outcome: 'answered', reconnected: true }]);
    const [first = 0, second = 0] = connections();
    expect(second).toBeGreaterThan(first);
  });

  it.each([false, true])('is replaced once (stream: %s)', async (stream) => {
    const before = dead.requests.length;
    dead.respond(broken(), broken());
    expect(await outcomes('reset', stream)).toEqual([
      ['dead', 'unavailable'],
      ['well', 'answered'],
    ]);
    expect(dead.requests).toHaveLength(before + 2);
  });

  it('is not replaced after part of an answer', async () => {
    const before = dead.requests.length;
    dead.respond(broken('{"id"'));
    expect(await outcomes('reset')).toEqual([
      ['dead', 'unavailable'],
      ['well', 'answered'],
    ]);
    expect(dead.requests).toHaveLength(before + 1);
  });
});
