import {
  type ChatCompletion,
  type ChatMessage,
  type ChatRequest,
  isObject,
  isSvcError,
  type JsonObject,
  type RequestBody,
} from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { objectsIn } from '../../common/json-shapes.ts';
import { isKnownName, knownPath } from '../../names/known-path.ts';
import { ITEM_TYPES } from '../../names/responses.ts';
import { stringsIn } from '../frames/strings.ts';
import { responseOf } from '../frames/test-frames.ts';
import { RESPONSES_BRIDGE } from './bridge.ts';

const IDENTITY = { id: 'r1', created: 5, model: 'route' };
const { requestToChat, requestFromChat, answerToChat, answerFromChat } = RESPONSES_BRIDGE;

/** A text that occurs nowhere else. */
const marked = fc.uuid().map((id) => `m${id}`);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const withoutUndefined = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const TYPES: ReadonlySet<string> = new Set([
  ...ITEM_TYPES,
  ...['input_text', 'input_image', 'input_file', 'input_audio', 'function', 'custom', 'namespace', 'web_search', 'mcp'],
]);

/** Whether a text at this place is reported as lost, by its field or by an object around it. */
function isNamed(body: unknown, place: readonly (string | number)[], lost: readonly string[]): boolean {
  const keys = place.filter((step) => typeof step === 'string');
  const holders = place.map((_, at) =>
    place.slice(0, at).reduce<unknown>((value, step) => Reflect.get(Object(value), step), body),
  );
  const types = holders.flatMap((holder) => (isObject(holder) && typeof holder.type === 'string' ? [holder.type] : []));
  const isStrange = [...keys, ...types].some((name) => !isKnownName(name) && !TYPES.has(name));
  return lost.some((name) => {
    const steps = name.split('.').filter((step) => step !== 'other');
    const fields = steps.filter((step) => !TYPES.has(step) || keys.includes(step));
    const named = steps.filter((step) => TYPES.has(step) && !keys.includes(step));
    const isThere = fields.every((field, at) => keys[at] === field) && named.every((type) => types.includes(type));
    return isThere && (isStrange || !name.endsWith('other'));
  });
}

/** Every text of a body is in the other one, or reported as lost. */
function expectNothingLost(body: unknown, other: unknown, lost: readonly string[]): void {
  const sent = JSON.stringify(other);
  for (const { place, text } of stringsIn(body)) {
    const [marker] = /m[0-9a-f-]{36}/.exec(text) ?? [];
    if (marker === undefined || sent.includes(marker)) continue;
    expect(isNamed(body, place, lost), `${place.join('.')} in ${lost.join()}`).toBe(true);
  }
  for (const name of lost) expect(knownPath(name)).toBe(name);
}

describe('a Responses request', () => {
  const part = fc.oneof(
    fc.record({
      type: fc.constantFrom('input_text', 'output_text', 'text'),
      text: marked,
      prompt_cache_breakpoint: maybe(fc.record({ mode: marked })),
    }),
    fc.record({ type: fc.constant('refusal'), refusal: marked, mine: maybe(marked) }),
    fc.record({ type: fc.constant('input_image'), image_url: maybe(marked), detail: maybe(marked), file_id: maybe(marked) }),
    fc.record({ type: fc.constant('input_file'), filename: maybe(marked), file_id: maybe(marked), file_url: maybe(marked) }),
    fc.record({ type: fc.constantFrom('computer_screenshot', 'not_invented_yet'), image_url: marked }),
  );
  const content = fc.oneof(marked, fc.array(part, { maxLength: 3 }));
  const item = fc.oneof(
    fc.record({
      role: fc.constantFrom('user', 'assistant', 'system', 'developer'),
      content,
      phase: maybe(marked),
      mine: maybe(marked),
    }),
    fc.record({ type: fc.constant('function_call'), call_id: marked, name: marked, arguments: marked, caller: maybe(marked) }),
    fc.record({ type: fc.constant('custom_tool_call'), call_id: marked, name: marked, input: marked, namespace: maybe(marked) }),
    fc.record({ type: fc.constantFrom('function_call_output', 'custom_tool_call_output'), call_id: marked, output: content }),
    fc.record({
      type: fc.constant('reasoning'),
      summary: fc.array(fc.record({ type: fc.constant('summary_text'), text: marked }), { maxLength: 2 }),
      encrypted_content: maybe(marked),
      content: maybe(fc.array(fc.record({ type: fc.constant('reasoning_text'), text: marked }), { maxLength: 1 })),
      mine: maybe(marked),
    }),
    fc.record({ type: fc.constantFrom('web_search_call', 'mcp_call', 'not_invented_yet'), text: marked }),
  );
  const tool = fc.oneof(
    fc.record({
      type: fc.constant('function'),
      name: marked,
      description: maybe(marked),
      parameters: fc.record({ title: marked }),
      output_schema: maybe(marked),
    }),
    fc.record({ type: fc.constant('custom'), name: marked, description: marked, mine: maybe(marked) }),
    fc.record({
      type: fc.constant('namespace'),
      name: marked,
      description: maybe(marked),
      tools: fc.array(fc.record({ type: fc.constant('function'), name: marked }), { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ type: fc.constantFrom('web_search', 'mcp', 'not_invented_yet'), server_url: marked }),
  );
  const body = fc.record({
    model: fc.constant('r'),
    input: fc.oneof(marked, fc.array(item, { minLength: 1, maxLength: 5 })),
    instructions: maybe(marked),
    tools: fc.array(tool, { minLength: 1, maxLength: 3 }),
    tool_choice: maybe(fc.record({ type: fc.constantFrom('function', 'custom'), name: marked })),
    metadata: maybe(fc.record({ ticket: marked })),
    include: maybe(fc.array(marked, { maxLength: 1 })),
    reasoning: maybe(fc.record({ summary: marked, effort: marked, mode: marked })),
    text: maybe(fc.record({ format: fc.record({ type: fc.constant('json_schema'), name: marked }), mine: maybe(marked) })),
    user: maybe(marked),
    prompt_cache_key: maybe(marked),
    not_invented_yet: maybe(marked),
  });

  test('is converted to the chat format and back, and names everything that is lost', () => {
    fc.assert(
      fc.property(body, (made) => {
        const asked = withoutUndefined(made) as RequestBody;
        let chat: ReturnType<typeof requestToChat>;
        try {
          chat = requestToChat(asked);
        } catch (error) {
          // For example, a request that has only items of a vendor's own tools.
          expect(isSvcError(error)).toBe(true);
          return;
        }
        expectNothingLost(asked, chat.body, chat.lost);
        let back: ReturnType<typeof requestFromChat>;
        try {
          back = requestFromChat(chat.body);
        } catch (error) {
          // For example, an image in an assistant's message.
          expect(error).toMatchObject({ kind: 'unsupported' });
          return;
        }
        expectNothingLost(asked, back.body, [...chat.lost, ...back.lost]);
        expectNothingLost(chat.body, back.body, back.lost);
      }),
    );
  });

  test('with content that both formats support is unchanged after both conversions', () => {
    const text = (type: string) => fc.record({ type: fc.constant(type), text: marked });
    const user = fc.record({ type: fc.constant('message'), role: fc.constantFrom('user', 'system'), content: marked });
    const parts = fc.array(text('input_text'), { minLength: 2, maxLength: 3 });
    const long = fc.record({ type: fc.constant('message'), role: fc.constant('user'), content: parts });
    const said = fc.record({
      type: fc.constant('message'),
      role: fc.constant('assistant'),
      content: fc.array(text('output_text'), { minLength: 1, maxLength: 2 }),
    });
    const thought = fc.record({
      type: fc.constant('reasoning'),
      id: marked,
      summary: fc.array(text('summary_text'), { maxLength: 2 }),
      encrypted_content: marked,
    });
    const called = fc
      .tuple(marked, fc.boolean())
      .map(([name, custom]): JsonObject[] => [
        custom
          ? { type: 'custom_tool_call', call_id: name, name: 'c', input: name }
          : { type: 'function_call', call_id: name, name: 'f', arguments: name },
        { type: custom ? 'custom_tool_call_output' : 'function_call_output', call_id: name, output: name },
      ]);
    const turn = fc.oneof(
      user.map((each) => [each]),
      long.map((each) => [each]),
      said.map((each) => [each]),
      fc.tuple(thought, said).map((all) => [...all]),
      fc.tuple(said, thought, called).map(([one, other, calls]) => [one, other, ...calls]),
      called,
    );
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 5 }), (turns) => {
        const input = turns.flat();
        const tools = [
          { type: 'function', name: 'f', parameters: null, strict: true },
          { type: 'custom', name: 'c' },
        ];
        const fields = { tools, tool_choice: { type: 'custom', name: 'c' }, reasoning: { effort: 'high' }, max_output_tokens: 7 };
        const chat = requestToChat({ model: 'r', input, ...fields });
        const back = requestFromChat(chat.body);
        expect([chat.lost, back.lost]).toEqual([[], []]);
        const kept = { store: false, include: ['reasoning.encrypted_content'] };
        expect(back.body).toEqual({ model: 'r', input, ...kept, ...fields });
      }),
    );
  });
});

describe('a chat request', () => {
  const call = fc
    .tuple(marked, fc.boolean())
    .map(
      ([id, custom]): JsonObject =>
        custom
          ? { id, type: 'custom', custom: { name: 'c', input: id } }
          : { id, type: 'function', function: { name: 'f', arguments: id } },
    );
  const details = fc.record({
    type: fc.constant('reasoning.encrypted'),
    data: marked,
    id: marked,
    format: fc.constant('openai-responses-v1'),
  });
  const assistant = fc.record(
    { content: marked, calls: fc.array(call, { minLength: 1, maxLength: 2 }), reasoning_content: marked, details },
    { requiredKeys: ['content'] },
  );
  const turn = fc.oneof(
    marked.map((content) => [{ role: 'user', content }]),
    marked.map((url) => [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url, detail: 'auto' } },
          { type: 'text', text: url },
        ],
      },
    ]),
    assistant.map(({ content, calls, reasoning_content: thought, details: detail }) => [
      {
        role: 'assistant',
        content,
        ...(calls && { tool_calls: calls }),
        ...(thought !== undefined && detail === undefined && { reasoning_content: thought }),
        ...(detail && { reasoning_details: [detail] }),
      },
      ...(calls ?? []).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: id })),
    ]),
  );

  test('with content that both formats support is unchanged after both conversions, including thinking', () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 5 }), (turns) => {
        const schema = { name: 'n', schema: { type: 'object' } };
        const chat = {
          model: 'm',
          messages: turns.flat(),
          tools: [
            { type: 'function', function: { name: 'f', description: 'd', strict: false } },
            { type: 'custom', custom: { name: 'c', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } } },
          ],
          tool_choice: {
            type: 'allowed_tools',
            allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
          },
          response_format: { type: 'json_schema', json_schema: schema },
          reasoning_effort: 'low',
          verbosity: 'low',
          max_completion_tokens: 9,
          stream: true,
          stream_options: { include_usage: true },
        } as unknown as ChatRequest;
        const asked = requestFromChat(chat);
        const back = requestToChat(asked.body);
        expect([asked.lost, back.lost]).toEqual([[], []]);
        expect(back.body).toEqual(chat);
      }),
    );
  });

  test('names the content without an equivalent', () => {
    const extra = fc.record({ name: maybe(marked), cache_control: maybe(fc.record({ type: marked })), mine: maybe(marked) });
    const asked = fc.record({
      seed: maybe(marked),
      stop: maybe(marked),
      mine: maybe(marked),
      message: fc.tuple(marked, extra).map(([content, more]) => ({ role: 'user', content, ...more })),
      part: fc.tuple(marked, extra).map(([text, more]) => ({ type: 'text', text, ...more })),
      tool: extra.map((more) => ({ type: 'function', function: { name: 'f' }, ...more })),
      call: extra.map((more) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: '' }, ...more })),
    });
    fc.assert(
      fc.property(asked, ({ message, part, tool, call: made, ...fields }) => {
        const messages = [message, { role: 'user', content: [part] }, { role: 'assistant', content: null, tool_calls: [made] }];
        const chat = withoutUndefined({ model: 'm', messages, tools: [tool], ...fields }) as unknown as ChatRequest;
        const { body, lost } = requestFromChat(chat);
        expectNothingLost(chat, body, lost);
      }),
    );
  });
});

describe('an answer', () => {
  const asked = { model: 'r', input: 'x', include: ['reasoning.encrypted_content'] };
  const message = fc.record(
    {
      content: marked,
      refusal: marked,
      reasoning_content: marked,
      tool_calls: fc.array(
        marked.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: id } })),
        { minLength: 1, maxLength: 2 },
      ),
      vendor_calls: fc.constant([{ id: 'ws_1', type: 'web_search_call', status: 'completed' }]),
    },
    { requiredKeys: [] },
  );
  const usage = {
    prompt_tokens: 7,
    completion_tokens: 5,
    total_tokens: 12,
    prompt_tokens_details: { cached_tokens: 3, cache_creation_tokens: 1 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };

  test('of the chat format is unchanged after both conversions', () => {
    fc.assert(
      fc.property(message, (made) => {
        const { tool_calls } = made;
        const said: ChatMessage = { role: 'assistant', content: null, ...made };
        const finish_reason = tool_calls === undefined ? 'stop' : 'tool_calls';
        const choices = [{ index: 0, message: said, logprobs: null, finish_reason }];
        const chat: ChatCompletion = { ...IDENTITY, object: 'chat.completion', choices, usage };
        expect(answerToChat(answerFromChat(chat, asked), IDENTITY)).toEqual(chat);
      }),
    );
  });

  test('of the Responses API is unchanged after both conversions, except its ids and states', () => {
    const text = (type: string, field: string) => marked.map((value) => ({ type, [field]: value }));
    const output = fc
      .record(
        {
          thought: fc.record({
            type: fc.constant('reasoning'),
            summary: fc.array(text('summary_text', 'text'), { minLength: 1, maxLength: 1 }),
            encrypted_content: marked,
          }),
          said: fc.array(fc.oneof(text('output_text', 'text'), text('refusal', 'refusal')), { minLength: 1, maxLength: 1 }),
          calls: fc.array(
            marked.map((id) => ({ type: 'function_call', call_id: id, name: 'f', arguments: id })),
            { minLength: 1, maxLength: 2 },
          ),
        },
        { requiredKeys: ['calls'] },
      )
      .map(({ thought, said, calls }) => [
        ...(thought ? [thought] : []),
        ...(said ? [{ type: 'message', role: 'assistant', content: said }] : []),
        ...calls,
      ]);
    const plain = ({ id: _, status: __, ...item }: JsonObject): JsonObject => ({
      ...item,
      ...(item.content !== undefined && {
        content: objectsIn(item.content).map(({ annotations: ___, logprobs: ____, ...part }) => part),
      }),
    });
    fc.assert(
      fc.property(output, (items) => {
        const response = responseOf(items as JsonObject[]);
        const back = answerFromChat(answerToChat(response, IDENTITY), asked);
        expect(objectsIn(back.output).map(plain)).toEqual(items);
      }),
    );
  });
});
