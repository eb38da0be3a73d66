import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatRequest, JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { installLitellm, QUIET } from '../bench/litellm.ts';
import { freePort, Processes } from '../bench/processes.ts';
import { fencesOf } from '../docs/fences.ts';
import { answer, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, parsed, TestGateway } from '../harness/gateway.ts';
import { skipsPython } from '../harness/python.ts';

/** Of installing it from an index. */
const LONG = 900_000;
const KEY = 'sk-test';

/** The model repeats the last text. LiteLLM also asks for its name. */
const echo = (request: { body: unknown }) => String((request.body as ChatRequest | undefined)?.messages.at(-1)?.content);

describe.skipIf(skipsPython("LiteLLM's proxy"))("LiteLLM's proxy asks the gateway as its guardrail", { timeout: LONG }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-litellm-'));
  const processes = new Processes(folder, false);
  let gateway: TestGateway;
  let upstream: Upstream;
  let url = '';

  beforeAll(async () => {
    const program = await installLitellm();
    upstream = await startUpstream((request, response) => answer(echo(request))(request, response));
    gateway = await TestGateway.start({
      here: true,
      config: echoConfig({
        routes: {
          default: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['mask', 'policy'], egress: ['policy'] } },
        },
      }),
    });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const [page] = fencesOf('docs/http.md').filter(({ mark }) => mark === 'litellm');
    const guardrails = parse((page?.text ?? '').replace('http://127.0.0.1:8000', gateway.url)) as JsonObject;
    const config = {
      model_list: [{ model_name: 'm', litellm_params: { model: 'openai/m', api_base: upstream.url, api_key: 'key' } }],
      general_settings: { master_key: KEY },
      ...guardrails,
    };
    const file = join(folder, 'litellm.yaml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(config));
    const args = ['--config', file, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'];
    await processes.serve('load', 'litellm', port, args, { program, env: { ...QUIET, SVC_KEY: gateway.key('alice') } });
  }, LONG);
  afterAll(async () => {
    processes.end();
    await gateway?.dispose();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function chat(messages: JsonObject[], more: JsonObject = {}) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages, ...more }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
    return { status: response.status, text, body: parsed(text) as any };
  }
  const user = (content: JsonObject['content']): JsonObject[] => [{ role: 'user', content: content as string }];
  const sent = () => upstream.requests.at(-1)?.body as ChatRequest;

  it("masks the model's request, with evidence", async () => {
    const parts = [{ type: 'text', text: 'and ACC-2 😀' }];
    const messages = [{ role: 'system', content: 'You are ACC-0.' }, { role: 'user', content: parts }, ...user('pay ACC-1')];
    const { status, body } = await chat(messages);
    expect([status, body.choices[0].message.content]).toEqual([200, 'pay <ACCOUNT>']);
    expect(JSON.stringify(sent().messages)).not.toContain('ACC-');
    expect(sent().messages[1]?.content).toEqual([{ type: 'text', text: 'and <ACCOUNT> 😀' }]);
    const records = (await gateway.ledger()).filter(({ record_type }) => record_type === 'run_evidence');
    expect(records.slice(-2).map(({ events }) => (events as JsonObject[])[1])).toMatchObject([
      { event_type: 'checked', stage: 'ingress' },
      { event_type: 'checked', stage: 'egress' },
    ]);
  });

  it.each(['this is forbidden', 'a wire transfer'])('stops a request that a guard refuses: %s', async (content) => {
    const before = upstream.requests.length;
    const { status, text } = await chat(user(content));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain('policy');
    expect(upstream.requests.length).toBe(before);
  });

  it('stops an answer', async () => {
    upstream.respond(answer('this is forbidden'));
    const { status, text } = await chat(user('hello'));
    expect([status >= 400, text.includes('policy')]).toEqual([true, true]);
  });

  it('refuses everything while the gateway is unreachable', async () => {
    const before = upstream.requests.length;
    await gateway.stop();
    expect((await chat(user('hello'))).status).toBeGreaterThanOrEqual(400);
    expect(upstream.requests.length).toBe(before);
  });
});
