import { parse } from 'smol-toml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fence, fencesOf } from '../docs/fences.ts';
import { Newcomer } from './newcomer.ts';

const fences = fencesOf('docs/connect.md');
const HELLO = 'hello';

let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await Newcomer.arrive();
  await newcomer.npmStart();
});
afterAll(() => newcomer.leave());

/** The variables that a block exports whose name begins so, in the shell that pasted it. */
async function exported({ text }: Fence, prefix: string): Promise<Record<string, string>> {
  const { stdout } = await newcomer.run(`unset \${!${prefix}*}\n${text}env | grep ^${prefix}`);
  return Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/=(.*)/s, 2)),
  );
}

function only(found: (fence: Fence) => boolean): Fence {
  const [fence, ...others] = fences.filter(found);
  if (fence === undefined || others.length > 0) throw new Error(`${others.length + 1} blocks are found, or none`);
  return fence;
}

/** As a client of that API does: the key as bearer. */
async function post(url: string, key: string | undefined, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

it.each([
  ...['openai', '@anthropic-ai/sdk', 'ai', '@ai-sdk/openai', '@ai-sdk/anthropic', '@langchain/openai', '@openai/agents'],
  '@langchain/langgraph/prebuilt',
])('has a snippet of %s', (name) => {
  expect(fences.filter(({ language, text }) => language === 'js' && text.includes(` from '${name}';`))).not.toEqual([]);
});

it.each(['openai', 'anthropic', 'langchain_openai', 'litellm'])('has a snippet of %s for Python', (name) => {
  const imports = new RegExp(`^(from|import) ${name}\\b`, 'm');
  expect(fences.filter(({ language, text }) => language === 'python' && imports.test(text))).not.toEqual([]);
});

it("Claude Code's variables lead to an answer", async () => {
  const variables = await exported(
    only(({ language, text }) => language === 'sh' && text.includes('ANTHROPIC_')),
    'ANTHROPIC_',
  );
  const { ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_MODEL: model, ...rest } = variables;
  // It adds the path from /v1 on itself.
  expect(rest).toEqual({ ANTHROPIC_BASE_URL: newcomer.url, ANTHROPIC_DEFAULT_HAIKU_MODEL: model });
  const messages = [{ role: 'user', content: HELLO }];
  const message = await post(`${rest.ANTHROPIC_BASE_URL}/v1/messages?beta=true`, key, { model, max_tokens: 64, messages });
  expect(message).toMatchObject({ type: 'message', content: [{ text: `echo: ${HELLO}` }] });
});

it("Codex's configuration leads to an answer", async () => {
  const { model, model_provider, model_providers } = parse(only(({ language }) => language === 'toml').text);
  expect(model_provider).toBe('svc');
  expect(model_providers).toEqual({
    svc: { name: 'svc', base_url: 'http://127.0.0.1:8000/v1', env_key: 'SVC_KEY', wire_api: 'responses' },
  });
  const { SVC_KEY } = await exported(
    only(({ text }) => text.includes('export SVC_KEY')),
    'SVC_',
  );
  const response = await post(`${newcomer.url}/v1/responses`, SVC_KEY, { model, input: HELLO });
  expect(response).toMatchObject({ status: 'completed', output: [{ content: [{ text: `echo: ${HELLO}` }] }] });
});
