import { isObject, withoutDate } from '@svc/contracts';
import fc from 'fast-check';
import type { Block } from '../test-parts.ts';

/** Generated requests and answers of the Messages API, for property tests of the protocol and its bridges. */
export const said = fc.string({ minLength: 1, maxLength: 10 }).filter((text) => text.trim() !== '' && text.isWellFormed());
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
export const list = <T>(arbitrary: fc.Arbitrary<T>, minLength = 0) => fc.array(arbitrary, { minLength, maxLength: 3 });

/** Bodies that both formats can express, in the order that the chat format requires. */
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

export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));
/** A tool choice needs tools. */
export const sayable = shared.map(({ tool_choice, ...body }) => plain({ ...body, ...('tools' in body && { tool_choice }) }));

/** Everything else that the API has, and things that it does not have yet. Every text contains a unique mark. */
export const marked = fc.uuid().map((uuid) => `marked ${uuid}`);
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
export const anything = fc.record(
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

export function isPlace(path: string, names: ReadonlySet<string>): boolean {
  return path.split('.').every((name) => name === 'other' || names.has(name));
}

/** Each marked text, with the names of the fields above it and the types of the objects around it. */
export function marksIn(value: unknown, names: readonly string[] = []): { mark: string; names: ReadonlySet<string> }[] {
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

export const answered = fc
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
