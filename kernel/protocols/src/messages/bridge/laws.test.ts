import { type AnswerFrame, type ChatCompletion, type ChatRequest, isObject, type RequestBody, withoutDate } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MESSAGES } from '../protocol.ts';
import { type Block, framesOfMessage, message } from '../test-parts.ts';
import { MESSAGES_BRIDGE } from './bridge.ts';

/** Law 5: there and back again a body is the same but for what was named as lost, and nothing is lost in silence. */
const IDENTITY = { id: 'run', created: 7, model: 'asked' };
const said = fc.string({ minLength: 1, maxLength: 10 }).filter((text) => text.trim() !== '' && text.isWellFormed());
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const id = fc.stringMatching(/^[a-z0-9_-]{1,8}$/);
const cache_control = maybe(fc.record({ type: fc.constant('ephemeral') }));
const text = fc.record({ type: fc.constant('text'), text: said, cache_control });
const image = fc.record({
  type: fc.constant('image'),
  source: fc.oneof(
    fc.constant({ type: 'base64', media_type: 'image/png', data: 'QUJD' }),
    fc.constant({ type: 'url', url: 'https://x.example/a.png' }),
  ),
  cache_control,
});
const pdf = fc.record({
  type: fc.constant('document'),
  source: fc.constant({ type: 'base64', media_type: 'application/pdf', data: 'QUJD' }),
  title: maybe(said),
});
const thinking = fc.oneof(
  fc.record({ type: fc.constant('thinking'), thinking: said, signature: fc.constant('QUJD') }),
  fc.record({ type: fc.constant('redacted_thinking'), data: fc.constant('REVG') }),
);
const call = fc.record({
  type: fc.constant('tool_use'),
  id,
  name: said,
  input: fc.dictionary(said, fc.oneof(said, fc.integer(), fc.constant(null))),
  cache_control,
});
const list = <T>(arbitrary: fc.Arbitrary<T>, minLength = 0) => fc.array(arbitrary, { minLength, maxLength: 3 });

/** What both formats have: in the order in which the chat format can say it. */
const result = fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: list(text, 1), cache_control });
const userTurn = fc
  .tuple(list(result), list(fc.oneof(text, image, pdf), 1))
  .map(([results, parts]) => ({ role: 'user', content: [...results, ...parts] }));
const modelTurn = fc
  .tuple(list(thinking), list(text, 1), list(call))
  .map((blocks) => ({ role: 'assistant', content: blocks.flat() }));
const tool = fc.oneof(
  fc.record({
    name: said,
    description: maybe(said),
    input_schema: fc.constant({ type: 'object', properties: {} }),
    strict: maybe(fc.constant(true)),
    cache_control,
  }),
  fc.constant({ type: 'bash_20250124', name: 'bash' }),
);
const shared = fc.record(
  {
    model: said,
    max_tokens: fc.integer({ min: 1, max: 9999 }),
    system: list(text, 1),
    messages: fc.tuple(userTurn, modelTurn, userTurn),
    tools: list(tool, 1),
    tool_choice: fc.constantFrom(
      { type: 'any' },
      { type: 'none' },
      { type: 'tool', name: 'f' },
      { type: 'any', disable_parallel_tool_use: true },
    ),
    stop_sequences: list(said, 1),
    temperature: fc.constantFrom(0, 0.5, 1),
    top_p: fc.constantFrom(0.5, 1),
    thinking: fc.constantFrom({ type: 'adaptive' }, { type: 'disabled' }, { type: 'enabled', budget_tokens: 1024 }),
    output_config: fc.record({
      effort: fc.constantFrom('low', 'high', 'max'),
      format: fc.constant({ type: 'json_schema', schema: { type: 'object' } }),
    }),
    metadata: fc.record({ user_id: said }),
    service_tier: fc.constant('standard_only'),
    context_management: fc.constant({ edits: [{ type: 'clear_thinking_20251015' }] }),
    anthropic_beta: list(id, 1),
  },
  { requiredKeys: ['model', 'max_tokens', 'messages', 'thinking'] },
);

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));
/** Without tools there is nothing to choose. */
const sayable = shared.map(({ tool_choice, ...body }) => plain({ ...body, ...('tools' in body && { tool_choice }) }));

test('a request that both formats can say comes back as it was, and nothing is named', () => {
  fc.assert(
    fc.property(sayable, (body) => {
      const chat = MESSAGES_BRIDGE.requestToChat(structuredClone(body) as RequestBody);
      const back = MESSAGES_BRIDGE.requestFromChat(chat.body);
      expect([back.body, chat.lost, back.lost]).toEqual([body, [], []]);
    }),
  );
});

test('and from the chat format, too', () => {
  fc.assert(
    fc.property(sayable, (body) => {
      const { body: chat } = MESSAGES_BRIDGE.requestToChat(body as RequestBody);
      const there = MESSAGES_BRIDGE.requestFromChat(plain(chat) as ChatRequest);
      expect(MESSAGES_BRIDGE.requestToChat(there.body).body).toEqual(plain(chat));
    }),
  );
});

test('thinking of a vendor of the chat format comes back to it through a client of the Messages API', () => {
  fc.assert(
    fc.property(said, said, fc.option(fc.constant('{"a":1}')), (reasoning_content, content, written) => {
      const tool_calls =
        written === null ? undefined : [{ id: 'c', type: 'function', function: { name: 'f', arguments: written } }];
      const answered = plain({ role: 'assistant', content, reasoning_content, tool_calls });
      const completion = {
        ...IDENTITY,
        object: 'chat.completion',
        choices: [{ index: 0, message: answered, finish_reason: 'stop' }],
      };
      const answer = MESSAGES_BRIDGE.answerFromChat(completion as ChatCompletion, { model: 'r' });
      const messages = [{ role: 'user', content: 'hi' }, ...MESSAGES.turnsOfAnswer(answer)];
      const { body, lost } = MESSAGES_BRIDGE.requestToChat({ model: 'r', messages });
      expect([body.messages[1], lost]).toEqual([answered, []]);
    }),
  );
});

/** Everything else that the API has, and what it has not yet: each text is marked. */
const marked = fc.uuid().map((uuid) => `marked ${uuid}`);
const otherBlock: fc.Arbitrary<Block> = fc.oneof(
  fc.record({
    type: fc.constant('text'),
    text: marked,
    citations: maybe(list(fc.record({ type: fc.constant('char_location'), cited_text: marked }), 1)),
  }),
  fc.record({
    type: fc.constant('document'),
    source: fc.oneof(
      fc.record({ type: fc.constant('text'), data: marked }),
      fc.record({ type: fc.constant('url'), url: marked }),
      fc.record({ type: fc.constant('file'), file_id: marked }),
      fc.record({ type: fc.constant('content'), content: list(fc.record({ type: fc.constant('text'), text: marked })) }),
    ),
    title: maybe(marked),
    context: maybe(marked),
  }),
  fc.record({ type: fc.constant('image'), source: fc.record({ type: fc.constant('file'), file_id: marked }) }),
  fc.record({
    type: fc.constant('search_result'),
    source: marked,
    title: marked,
    content: list(fc.record({ type: fc.constant('text'), text: marked })),
  }),
  fc.record({ type: fc.constantFrom('web_search_tool_result', 'compaction', 'not_invented_yet'), content: marked, note: marked }),
  fc.record({ type: fc.constant('container_upload'), file_id: marked }),
);
const otherCall = fc.record({
  type: fc.constant('tool_use'),
  id,
  name: marked,
  input: fc.dictionary(said, marked),
  caller: maybe(fc.record({ type: marked })),
});
const otherTurn = fc.oneof(
  fc.record({ role: fc.constant('system'), content: marked }),
  fc.record({
    role: fc.constant('user'),
    content: list(
      fc.oneof(
        otherBlock,
        fc.record({
          type: fc.constant('tool_result'),
          tool_use_id: id,
          note: maybe(marked),
          content: fc.oneof(marked, list(otherBlock)),
        }),
      ),
    ),
    note: maybe(marked),
  }),
  fc.record({
    role: fc.constant('assistant'),
    content: list(
      fc.oneof(
        otherBlock,
        otherCall,
        fc.record({
          type: fc.constant('thinking'),
          thinking: marked,
          signature: fc.constantFrom('QUJD', ''),
          note: maybe(marked),
        }),
      ),
    ),
  }),
);
const anything = fc.record(
  {
    model: fc.constant('r'),
    messages: list(otherTurn, 1).map((turns) => [{ role: 'user', content: 'hi' }, ...turns]),
    system: marked,
    tools: list(
      fc.oneof(
        fc.record({
          name: marked,
          input_schema: fc.constant({}),
          input_examples: maybe(list(fc.record({ note: marked }), 1)),
          allowed_callers: maybe(list(marked, 1)),
          note: maybe(marked),
        }),
        fc.record({ type: fc.constantFrom('web_search_20250305', 'not_invented_yet'), name: marked }),
      ),
      1,
    ),
    metadata: fc.record({ user_id: marked.map((mark) => mark.repeat(3)), ticket: marked }),
    container: marked,
    mcp_servers: list(fc.record({ name: marked, url: marked }), 1),
    betas: list(marked, 1),
    speed: marked,
    my_own: marked,
  },
  { requiredKeys: ['model', 'messages'] },
);

test('no text of a request is lost in silence: it comes to the other side, or its place is named', () => {
  fc.assert(
    fc.property(anything.map(plain), (body) => {
      const chat = MESSAGES_BRIDGE.requestToChat(structuredClone(body) as RequestBody);
      const sent = JSON.stringify(chat.body);
      for (const { mark, names } of marksIn(body)) {
        if (sent.includes(mark)) continue;
        expect(
          chat.lost.some((path) => isPlace(path, names)),
          [...names].join(),
        ).toBe(true);
      }
      for (const path of chat.lost) expect(path).toMatch(/^[a-z_.0-9]+$/);
      const back = returned(chat.body);
      if (back === null) return;
      const texts = JSON.stringify(back.body);
      for (const { mark, names } of marksIn(chat.body))
        if (!texts.includes(mark))
          expect(
            back.lost.some((path) => isPlace(path, names)),
            [...names].join(),
          ).toBe(true);
    }),
  );
});

/** Null: nothing is left that the API could be told. */
function returned(chat: ChatRequest) {
  try {
    return MESSAGES_BRIDGE.requestFromChat(chat);
  } catch (error) {
    expect(error).toMatchObject({ kind: 'unsupported' });
    return null;
  }
}

function isPlace(path: string, names: ReadonlySet<string>): boolean {
  return path.split('.').every((name) => name === 'other' || names.has(name));
}

/** Each marked text with the fields above it, and the types of the objects that hold it. */
function marksIn(value: unknown, names: readonly string[] = []): { mark: string; names: ReadonlySet<string> }[] {
  if (typeof value === 'string')
    return (value.match(/marked [0-9a-f-]{36}/g) ?? []).map((mark) => ({ mark, names: new Set(names) }));
  if (Array.isArray(value)) return value.flatMap((item) => marksIn(item, names));
  if (!isObject(value)) return [];
  const type = typeof value.type === 'string' ? [value.type, withoutDate(value.type)] : [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inside = isObject(member) && typeof member.type === 'string' ? [member.type] : [];
    return marksIn(member, [...names, ...type, name, ...inside]);
  });
}

const answered = fc
  .tuple(
    list(thinking),
    fc.option(said),
    list(fc.record({ type: fc.constant('tool_use'), id, name: said, input: fc.dictionary(said, said) })),
  )
  .map(([thought, spoken, calls]): Block[] => [
    ...thought,
    ...(spoken === null ? [] : [{ type: 'text', text: spoken }]),
    ...calls,
  ]);

describe('an answer', () => {
  test('that both formats can say comes back as it was', () => {
    fc.assert(
      fc.property(answered.map(plain), (blocks) => {
        const stop_reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
        const completion = MESSAGES_BRIDGE.answerToChat(message(blocks, { stop_reason }), IDENTITY);
        expect(completion).not.toHaveProperty('svc_left_out');
        const back = MESSAGES_BRIDGE.answerFromChat(completion, { model: 'r' });
        expect(back).toMatchObject({ type: 'message', content: blocks, stop_reason });
        expect(MESSAGES.outcomeOf(back)).toEqual(MESSAGES.outcomeOf(message(blocks, { stop_reason })));
      }),
    );
  });

  test('is the same whole and streamed, both ways, however it is cut', () => {
    fc.assert(
      fc.property(answered.map(plain), fc.integer({ min: 1, max: 5 }), (blocks, size) => {
        const stop_reason = blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
        const whole = message(blocks, { stop_reason });
        const toChat = MESSAGES_BRIDGE.framesToChat(IDENTITY);
        const chunks = [...framesOfMessage(whole, size).flatMap((frame) => toChat.take(frame)), ...toChat.end()];
        const fromChat = MESSAGES_BRIDGE.framesFromChat({ model: 'r' });
        const frames: AnswerFrame[] = [...chunks.flatMap((chunk) => fromChat.take(chunk)), ...fromChat.end()];
        const gatherer = MESSAGES.frames?.gatherer();
        for (const frame of frames) gatherer?.take(frame);
        const once = MESSAGES_BRIDGE.answerFromChat(MESSAGES_BRIDGE.answerToChat(whole, IDENTITY), { model: 'r' });
        expect(gatherer?.answer()).toEqual(once);
      }),
    );
  });

  test('names what the chat format has no place for', () => {
    const block = fc.oneof(
      fc.record({ type: fc.constantFrom('web_search_tool_result', 'compaction', 'not_invented_yet'), content: marked }),
      fc.record({ type: fc.constant('text'), text: marked, citations: list(fc.record({ cited_text: marked }), 1) }),
    );
    fc.assert(
      fc.property(list(block, 1), (blocks) => {
        const completion = MESSAGES_BRIDGE.answerToChat(message(blocks), IDENTITY);
        const sent = JSON.stringify(completion.choices);
        for (const { mark, names } of marksIn({ content: blocks }))
          if (!sent.includes(mark)) expect(completion.svc_left_out?.some((path) => isPlace(path, names))).toBe(true);
      }),
    );
  });
});
