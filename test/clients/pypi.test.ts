import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatRequest, ToolCall } from '@svc/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, type Behaviour, completionOf, embeddings, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { PythonEnvironment, skipsPython, whyOffline } from '../harness/python.ts';

/** Of installing 330 MB from an index, where the machine is slow: a minute and more of work. */
const LONG = 900_000;
/** The oldest Python that the newest releases of all of them take. */
const LEAST = '3.11';
const PYTHON = join(import.meta.dirname, 'python');
const CALL: ToolCall = { id: 'call_1', type: 'function', function: { name: 'transfer', arguments: '{"to":"ACC-7"}' } };

/** A model that calls its tool, then tells what that gave; answers in JSON where that is asked for; else says what it is told. */
const scripted: Behaviour = (request, response) => {
  if (request.path === '/v1/embeddings') return embeddings()(request, response);
  const { messages, tools, response_format } = request.body as ChatRequest;
  const last = messages.at(-1);
  if (last?.role === 'tool') return answer(`after the tool: ${last.content}`)(request, response);
  if (response_format !== undefined) return answer('{"to":"ACC-7"}')(request, response);
  if (tools === undefined) return answer()(request, response);
  const message = { role: 'assistant', content: 'I pay.', tool_calls: [CALL] };
  const calling = { ...completionOf({}, ''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
  return answer(calling)(request, response);
};

describe.skipIf(skipsPython('clients from PyPI', LEAST))('clients from PyPI', { timeout: LONG }, () => {
  let environment: PythonEnvironment;
  let upstream: Upstream;
  let gateway: TestGateway;
  let offline = '';
  // litellm would else fetch a list of prices when it is imported.
  const env = () => ({ SVC_URL: gateway.url, SVC_KEY: gateway.key('alice'), LITELLM_LOCAL_MODEL_COST_MAP: 'True' });

  beforeAll(async () => {
    environment = await PythonEnvironment.create(LEAST);
    const installing = environment.install('--no-deps', '-r', join(PYTHON, 'requirements.txt'));
    upstream = await startUpstream(scripted);
    const pipeline = { ingress: ['mask'], egress: ['mask'] };
    gateway = await TestGateway.start({
      here: true,
      config: echoConfig({
        providers: { upstream: { type: 'openai', base_url: upstream.url } },
        routes: { scripted: { provider: 'upstream', model: 'model-1', pipeline } },
      }),
    });
    offline = whyOffline(await installing);
  }, LONG);
  afterAll(async () => {
    environment?.dispose();
    await gateway?.dispose();
    await upstream?.close();
  });
  beforeEach(({ skip }) => skip(offline !== '', `no index can be reached: ${offline}`));

  // In one process: what they import is most of the work, and much the same.
  it('work unchanged, as shown in docs/connect.md', async () => {
    const modules = readdirSync(PYTHON).flatMap((name) => /^(test_\w+)\.py$/.exec(name)?.[1] ?? []);
    const { code, output } = await environment.run(['-W', 'ignore', '-m', 'unittest', '-v', ...modules], {
      cwd: PYTHON,
      env: env(),
    });
    expect(code, output).toBe(0);
    for (const module of modules) expect(output).toMatch(new RegExp(`^test_\\w+ \\(${module}\\..*ok$`, 'm'));
    expect(upstream.requests).not.toEqual([]);
    for (const { text } of upstream.requests) expect(text).not.toMatch(/ACC-\d/);
  });
});
