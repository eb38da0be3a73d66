import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { anthropic, responses } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

/** A request as a coding agent sent it. Long texts and ids of sessions are replaced, all else is as it was. */
interface Recorded {
  readonly path: keyof typeof PROVIDERS;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

const PROVIDERS = { '/v1/chat/completions': 'chat', '/v1/messages': 'messages', '/v1/responses': 'responses' } as const;
const FOLDER = join(import.meta.dirname, '../fixtures/recorded');
const recorded: [string, Recorded][] = readdirSync(FOLDER).map((file) => [
  file.replace('.json', ''),
  JSON.parse(readFileSync(join(FOLDER, file), 'utf8')),
]);
const MAIL = 'ann.lee@example.org';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    if (request.path.endsWith('/messages'))
      return anthropic.answer({ content: [{ type: 'text', text: 'Done.' }] })(request, response);
    if (request.path.endsWith('/responses'))
      return responses.answer({ output: [responses.messageItem('Done.')] })(request, response);
    return answer(completionOf('Done.'))(request, response);
  });
  const routes = Object.values(PROVIDERS).flatMap((provider) => {
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
      providers: {
        chat: { type: 'openai', base_url: upstream.url },
        responses: { type: 'openai', api: 'responses', base_url: upstream.url },
        messages: { type: 'anthropic', base_url: new URL(upstream.url).origin },
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
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${gateway.key('alice')}` },
    body: JSON.stringify({ ...wholeOf(body), model: route }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  return upstream.requests.at(-1)?.body as JsonObject;
}

describe.each(recorded)('a request of %s', (_, request) => {
  const provider = PROVIDERS[request.path];

  it.each(['', '-guarded'])('reaches the model as it was sent, but for its name (route %s)', async (suffix) => {
    expect(await send(request, provider + suffix)).toEqual({ ...wholeOf(request.body), model: 'm-1' });
  });

  it('is masked where it names somebody, and is as it was elsewhere', async () => {
    const sent = await send(request, `${provider}-masked`);
    const masked = JSON.stringify(wholeOf(request.body)).replaceAll(MAIL, '<EMAIL_ADDRESS_1>');
    expect(sent).toEqual({ ...JSON.parse(masked), model: 'm-1' });
  });
});
