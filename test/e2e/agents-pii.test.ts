// The `agents` preset of pii behind the doors and providers that coding agents use. The requests have the shape that Claude Code 2.1 and Codex
// 0.169 send: system prompts with names, tools of the vendor with a date, JSON in arguments, freeform patches.
import Anthropic from '@anthropic-ai/sdk';
import type { JsonObject } from '@svc/contracts';
import { anthropic, responses } from '@svc/sdk/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, type Behaviour, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

const [MAIL, OTHER_SPELLING, NEXT] = ['ann.lee@example.org', 'Ann.Lee@Example.org', 'bob.miller@example.net'] as const;
const NAME = 'Ann Lee';
const VALUES = [MAIL, OTHER_SPELLING, NEXT, 'git.user@example.org'];
const SYSTEM = 'You are an agent. Git user: Dora Keller <git.user@example.org>. Ask Bash or Python. Do not mark it as done.';
const ASKED = `Write the contact ${NAME}, ${MAIL} (${OTHER_SPELLING}) into contact.txt.`;
const TOOLS = [
  { name: 'Write', description: 'Writes a file. Example by Dora Keller: co-author <noreply@example.com>.' },
  { name: 'Bash', description: 'Runs a command. Mark it as done with Bash.' },
];
const SCHEMA = { type: 'object', properties: { file_path: { type: 'string', description: 'Path for Dora Keller' } } } as const;

/** What the model writes, with what it was sent in place of values. Its own are left alone. */
function writtenWith(name: string, mail: string, other: string, git: string) {
  const content = `${name}: ${mail}, ${other}\nby ${git}\n# support@example.com, 127.0.0.1, John Smith\n`;
  return {
    text: `I will write ${mail} of ${name}.`,
    input: { file_path: 'contact.txt', content, deep: [{ [mail]: [JSON.stringify({ to: [mail] })] }] },
    patch: `*** Begin Patch\n*** Add File: contact.txt\n+${name}: <${mail}>\n+${other} 127.0.0.1\n*** End Patch\n`,
  };
}
type Written = ReturnType<typeof writtenWith>;
const TRUE = writtenWith(NAME, MAIL, OTHER_SPELLING, 'git.user@example.org');

/** What stands in a request, as the model reads it. */
function modelWrites(text: string): Written {
  const [, name = '?', mail = '?', other = '?'] =
    /contact (<PERSON_\d+>), (<EMAIL_ADDRESS_\d+>) \((<EMAIL_ADDRESS_\d+>)\)/.exec(text) ?? [];
  return writtenWith(name, mail, other, /Git user: Dora Keller <(<\w+>)>/.exec(text)?.[1] ?? '?');
}

const toolsOf = (body: unknown): readonly JsonObject[] => Object(body).tools ?? [];
const asClaude: Behaviour = async (request, response) => {
  const { text, input } = modelWrites(request.text);
  const content = [
    { type: 'text', text },
    { type: 'tool_use', id: 'toolu_1', name: 'Write', input },
  ];
  await anthropic.answer({ content, stop_reason: 'tool_use' })(request, response);
};
const asOpenAi: Behaviour = async (request, response) => {
  const { text, input, patch } = modelWrites(request.text);
  const isFree = toolsOf(request.body).some(({ type }) => type === 'custom');
  const call = isFree
    ? { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: patch, status: 'completed' }
    : { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'Write', arguments: JSON.stringify(input) };
  const said = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
  await responses.answer({ output: [said, call] })(request, response);
};
const asChat: Behaviour = async (request, response) => {
  const { text, input } = modelWrites(request.text);
  const called = { name: 'Write', arguments: JSON.stringify(input).replaceAll('<', '\\u003c') };
  const completion = completionOf(request.body, text);
  const [choice] = completion.choices;
  if (choice === undefined) throw new Error('a completion has a choice');
  const tool_calls = [{ id: 'call_1', type: 'function' as const, function: called }];
  const choices = [{ ...choice, finish_reason: 'tool_calls', message: { ...choice.message, tool_calls } }];
  await answer({ ...completion, choices } as typeof completion)(request, response);
};

const upstreams: Record<string, Upstream> = {};
let gateway: TestGateway;
beforeAll(async () => {
  upstreams.claude = await startUpstream(asClaude);
  upstreams.responses = await startUpstream(asOpenAi);
  upstreams.chat = await startUpstream(asChat);
  const route = (provider: string): JsonObject => ({
    provider,
    model: 'm-1',
    pipeline: { ingress: ['pii'], egress: ['pii'] },
    vendor_tools: ['text_editor', 'web_search'],
  });
  gateway = await TestGateway.start({
    here: true,
    config: {
      providers: {
        claude: { type: 'anthropic', base_url: new URL(upstreams.claude.url).origin, region: 'eu' },
        responses: { type: 'openai', api: 'responses', base_url: upstreams.responses.url, region: 'eu' },
        chat: { type: 'openai', base_url: upstreams.chat.url, region: 'eu' },
      },
      packs: { pii: { preset: 'agents' } },
      routes: { default: route('claude'), claude: route('claude'), responses: route('responses'), chat: route('chat') },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  for (const upstream of Object.values(upstreams)) await upstream.close();
});

/** What an agent got: what was said, and the call. `history`: what it sends back. */
interface Got {
  readonly said: string;
  readonly input: unknown;
  readonly history: readonly object[];
}
type Door = (model: string, streamed: boolean, history: readonly object[], asked: string) => Promise<Got>;

const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key('alice'), maxRetries: 0 });

const messages: Door = async (model, streamed, history, asked) => {
  const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key('alice'), maxRetries: 0 });
  const turns = [...history, { role: 'user', content: [{ type: 'text', text: asked }] }] as Anthropic.MessageParam[];
  const tools = [
    ...TOOLS.map((tool) => ({ ...tool, input_schema: SCHEMA })),
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
  ] as unknown as Anthropic.Tool[];
  const body = { model, max_tokens: 4096, system: [{ type: 'text' as const, text: SYSTEM }], tools, messages: turns };
  const { content } = await (streamed ? client.messages.stream(body).finalMessage() : client.messages.create(body));
  const call = content.find(({ type }) => type === 'tool_use') as Anthropic.ToolUseBlock;
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: `Wrote ${MAIL}` }] };
  const said = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return { said, input: call.input, history: [...turns, { role: 'assistant', content }, result] };
};

const responding =
  (isFree: boolean): Door =>
  async (model, streamed, history, asked) => {
    const input = [...history, { role: 'user', content: asked }] as OpenAI.Responses.ResponseInput;
    const tools = isFree
      ? [{ type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' } }]
      : TOOLS.map((tool) => ({ type: 'function', ...tool, parameters: SCHEMA, strict: false }));
    const body = { model, store: false, instructions: SYSTEM, tools: tools as OpenAI.Responses.Tool[], input };
    const { output } = await (streamed
      ? openai()
          .responses.stream({ ...body, stream: true })
          .finalResponse()
      : openai().responses.create(body));
    const call = output.find(({ type }) => type === 'function_call' || type === 'custom_tool_call');
    const said = output.flatMap((item) =>
      item.type === 'message' ? item.content.map((part) => (part.type === 'output_text' ? part.text : '')) : [],
    );
    const { call_id, arguments: args, input: free } = Object(call);
    const result = { type: isFree ? 'custom_tool_call_output' : 'function_call_output', call_id, output: `Wrote ${MAIL}` };
    return { said: said.join(''), input: isFree ? free : JSON.parse(args), history: [...input, ...output, result] };
  };

const chat: Door = async (model, streamed, history, asked) => {
  const sent = [
    ...(history.length === 0 ? [{ role: 'system', content: SYSTEM }] : history),
    { role: 'user', content: asked },
  ] as OpenAI.ChatCompletionMessageParam[];
  const tools = TOOLS.map((tool) => ({ type: 'function' as const, function: { ...tool, parameters: SCHEMA } }));
  const body = { model, tools, messages: sent };
  const { choices } = await (streamed
    ? openai()
        .chat.completions.stream({ ...body, stream: true })
        .finalChatCompletion()
    : openai().chat.completions.create(body));
  const message = choices[0]?.message;
  const [call] = message?.tool_calls ?? [];
  const input = JSON.parse(call?.type === 'function' ? call.function.arguments : '');
  const { role, content, tool_calls } = Object(message);
  const result = { role: 'tool', tool_call_id: call?.id, content: `Wrote ${MAIL}` };
  return { said: content, input, history: [...sent, { role, content, tool_calls }, result] };
};

const DOORS = { messages, responses: responding(false), chat };
const pairs = Object.keys(DOORS).flatMap((door) =>
  ['claude', 'responses', 'chat'].flatMap((model) => [true, false].map((streamed) => [door, model, streamed] as const)),
);

function expectMasked(upstream: Upstream, from: number): void {
  const bodies = upstream.requests.slice(from).map(({ text }) => text);
  expect(bodies.filter((body) => VALUES.some((value) => body.toLowerCase().includes(value.toLowerCase())))).toEqual([]);
  expect(bodies.filter((body) => body.includes(NAME))).toEqual([]);
}

describe.each(pairs)('an agent that uses %s, with a model that uses %s (streamed: %s)', (door, model, streamed) => {
  it('gets its own values back unchanged, and the model sees the same placeholders in the next turn', async () => {
    const ask = DOORS[door as keyof typeof DOORS];
    const upstream = upstreams[model] as Upstream;
    const from = upstream.requests.length;
    const one = await ask(model, streamed, [], ASKED);
    expect([one.said, one.input]).toEqual([TRUE.text, TRUE.input]);
    const two = await ask(model, streamed, one.history, `And ${NEXT}, please.`);
    expect([two.said, two.input]).toEqual([TRUE.text, TRUE.input]);
    expectMasked(upstream, from);
    const [first, second] = upstream.requests.slice(from).map(({ body }) => Object(body));
    expect(second.tools).toEqual(first.tools);
    const turns = (body: JsonObject): readonly unknown[] => (body.messages ?? body.input) as unknown[];
    expect(turns(second).slice(0, turns(first).length)).toEqual(turns(first));
    // No names in instructions and definitions of tools, and addresses are looked for there too.
    expect(JSON.stringify(first)).toMatch(
      /Dora Keller <<EMAIL_ADDRESS_\d>>.*Example by Dora Keller|Example by Dora Keller.*Dora Keller <<EMAIL/,
    );
    expect(JSON.stringify(first)).not.toMatch(/PERSON_2|noreply@/);
  });
});

it.each([true, false])('a freeform patch is restored as well (streamed: %s)', async (streamed) => {
  const upstream = upstreams.responses as Upstream;
  const from = upstream.requests.length;
  const one = await responding(true)('responses', streamed, [], ASKED);
  const two = await responding(true)('responses', streamed, one.history, `And ${NEXT}.`);
  expect([one.input, two.input]).toEqual([TRUE.patch, TRUE.patch]);
  expectMasked(upstream, from);
});

it("a vendor's tool with a date in its type reaches the vendor", async () => {
  await messages('claude', false, [], ASKED);
  expect(toolsOf(upstreams.claude?.requests.at(-1)?.body).map(({ type }) => type)).toContain('text_editor_20250728');
});
