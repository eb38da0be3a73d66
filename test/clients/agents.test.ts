import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import type { JsonObject } from '@svc/contracts';
import { responses, startUpstream, type Upstream } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const ENCRYPTED = 'gAAAAABencrypted-reasoning_of-the_model==';
const MAIL = 'ann.lee@example.org';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream(responses.answer({ output: [responses.messageItem('Sent.')] }));
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      server: { record_content: true },
      packs: { pii: { type: 'pii' } },
      providers: { upstream: { type: 'openai', api: 'responses', base_url: upstream.url } },
      routes: { default: { provider: 'upstream', model: 'gpt-test-1', pipeline: { ingress: ['pii'], egress: ['pii'] } } },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const asked = () => (upstream.requests.at(-1)?.body as { input: JsonObject[] } | undefined)?.input ?? [];

/** A model that thinks and calls a tool, then answers. */
function calls(): void {
  const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'mail', arguments: `{"to":"${MAIL}"}` };
  const thought = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: ENCRYPTED };
  upstream.respond(responses.answer({ output: [thought, call] }));
}

describe.each([false, true])('@openai/agents over a Responses upstream (streamed: %s)', (stream) => {
  async function run(input: string, previousResponseId?: string) {
    const mail = tool({
      name: 'mail',
      description: 'Sends a mail.',
      parameters: z.object({ to: z.string() }),
      execute: () => `sent to ${MAIL}`,
    });
    const modelSettings = { providerData: { include: ['reasoning.encrypted_content'] } };
    const agent = new Agent({ name: 'clerk', instructions: 'Be brief.', model: 'default', tools: [mail], modelSettings });
    const options = { apiKey: gateway.key('alice'), baseURL: `${gateway.url}/v1`, useResponses: true };
    const runner = new Runner({ modelProvider: new OpenAIProvider(options), tracingDisabled: true });
    const previous = previousResponseId === undefined ? {} : { previousResponseId };
    if (!stream) return runner.run(agent, input, previous);
    const streamed = await runner.run(agent, input, { ...previous, stream: true });
    await streamed.completed;
    return streamed;
  }

  it('continues to think behind guards, during tool calls and in a run that continues another', async () => {
    calls();
    const first = await run(`Write to ${MAIL}.`);
    expect(first.finalOutput).toBe('Sent.');
    expect(asked().map(({ type, role }) => role ?? type)).toEqual(['user', 'reasoning', 'function_call', 'function_call_output']);
    expect(asked()[1]).toMatchObject({ encrypted_content: ENCRYPTED });
    const second = await run('Thanks.', first.lastResponseId);
    expect(second.finalOutput).toBe('Sent.');
    expect(asked().map(({ type, role }) => role ?? type)).toEqual([
      ...['user', 'reasoning', 'function_call', 'function_call_output', 'assistant', 'user'],
    ]);
    expect(JSON.stringify(upstream.requests.map(({ body }) => body))).not.toContain(MAIL);
  });
});
