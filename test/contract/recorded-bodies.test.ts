import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { anthropic, gemini, responses } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

/**
 * A request as a coding agent, a framework or an SDK sent it, with the result of a tool where it calls any. Long texts and ids of sessions are
 * replaced, all else is as it was.
 */
interface Recorded {
  /** What sent it, where its `user-agent` does not say so. */
  readonly client?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** Providers that speak the protocol of a path. */
const PROVIDERS: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'chat',
  '/v1/messages': 'messages',
  '/v1/responses': 'responses',
};
const FOLDER = join(import.meta.dirname, '../fixtures/recorded');
const recorded: [string, Recorded][] = readdirSync(FOLDER).map((file) => [
  file.replace('.json', ''),
  JSON.parse(readFileSync(join(FOLDER, file), 'utf8')),
]);
const NAMED = [
  ['ann.lee@example.org', '<EMAIL_ADDRESS_1>'],
  ['Ann Lee', '<PERSON_1>'],
] as const;

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    if (request.path.endsWith('/messages'))
      return anthropic.answer({ content: [{ type: 'text', text: 'Done.' }] })(request, response);
    if (request.path.endsWith('/responses'))
      return responses.answer({ output: [responses.messageItem('Done.')] })(request, response);
    if (request.path.includes('/models/')) return gemini.answer()(request, response);
    return answer(completionOf('Done.'))(request, response);
  });
  const routes = [...Object.values(PROVIDERS), 'gemini'].flatMap((provider) => {
    const bare = { provider, model: 'm-1', vendor_tools: ['web_search'] };
    return [
      [provider, bare],
      [`${provider}-guarded`, { ...bare, pipeline: { ingress: ['quiet', 'secrets'], egress: ['quiet', 'secrets'] } }],
      [`${provider}-masked`, { ...bare, pipeline: { ingress: ['pii'], egress: ['pii'] } }],
    ];
  });
  gateway = await TestGateway.start({
    here: true,
    config: {
      protocols: [{ type: 'gemini' }],
      providers: {
        chat: { type: 'openai', base_url: upstream.url },
        responses: { type: 'openai', api: 'responses', base_url: upstream.url },
        messages: { type: 'anthropic', base_url: new URL(upstream.url).origin },
        gemini: { type: 'gemini', base_url: new URL(upstream.url).origin, api_key: 'k' },
      },
      packs: {
        quiet: { type: 'rules', rules: [{ name: 'nothing', match: 'NOT-THERE', verdict: 'sanitize' }] },
        secrets: { type: 'secrets' },
        pii: { type: 'pii', preset: 'agents' },
      },
      routes: Object.fromEntries(routes),
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** As a whole answer is asked for. */
function wholeOf({ stream, stream_options, ...body }: JsonObject): JsonObject {
  return body;
}

/** @returns what the model got */
async function send({ path, headers, body }: Recorded, route: string): Promise<JsonObject> {
  const isNamedInPath = PROVIDERS[path] === undefined;
  const key = isNamedInPath ? { 'x-goog-api-key': gateway.key('alice') } : { authorization: `Bearer ${gateway.key('alice')}` };
  const asked = isNamedInPath ? path.replace(/[\w-]+:\w+$/, `${route}:generateContent`) : path;
  const response = await fetch(`${gateway.url}${asked}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', ...key },
    body: JSON.stringify(isNamedInPath ? body : { ...wholeOf(body), model: route }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  return upstream.requests.at(-1)?.body as JsonObject;
}

/** What is the same to a model: Google's Python client mixes two spellings, and OpenAI's writes null for what a message did not have. */
function plainOf({ path, body }: Recorded): JsonObject {
  if (PROVIDERS[path] === undefined) return JSON.parse(JSON.stringify(body).replace(SNAKE_CASE, inCamelCase));
  const { messages, ...rest } = wholeOf(body);
  if (path !== '/v1/chat/completions' || !Array.isArray(messages)) return { ...wholeOf(body), model: 'm-1' };
  const isSaid = ([name, value]: [string, unknown]) => name === 'content' || value !== null;
  const plain = messages.map((message) => Object.fromEntries(Object.entries(Object(message)).filter(isSaid)) as JsonObject);
  return { ...rest, messages: plain, model: 'm-1' };
}

const SNAKE_CASE = /"(?:mime_type|(?:parameters|response)_json_schema|include_thoughts|thinking_budget)":/g;

function inCamelCase(key: string): string {
  return key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

describe.each(recorded)('a request of %s', (_, request) => {
  const route = PROVIDERS[request.path] ?? 'gemini';
  const sent = plainOf(request);

  it.each(['', '-guarded'])('reaches the model as it was sent, except for the name of the model (route %s)', async (suffix) => {
    expect(await send(request, route + suffix)).toEqual(sent);
  });

  it('is masked where it names a person, and unchanged elsewhere', async () => {
    const masked = NAMED.reduce((text, [name, mask]) => text.replaceAll(name, mask), JSON.stringify(sent));
    expect(await send(request, `${route}-masked`)).toEqual(JSON.parse(masked));
  });
});
