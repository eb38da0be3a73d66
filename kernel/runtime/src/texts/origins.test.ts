import { type Protocol, parseExact, type RequestBody, TEXT_ORIGINS } from '@svc/contracts';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { collectRequest, collectTable } from './collect.ts';
import type { Payload } from './payload.ts';

/** The texts that name an origin, each with the origin that guards see. */
const originsIn = (payload: Payload) =>
  payload
    .seen('all')
    .segments.filter(({ text }) => TEXT_ORIGINS.some((origin) => origin === text))
    .map(({ text, origin, path }) => [path, text, origin] as const);
const ofRequest = (protocol: Protocol, body: RequestBody) => originsIn(collectRequest(protocol, body));

test('a chat', () => {
  const messages = [
    { role: 'system', content: 'system' },
    { role: 'developer', content: 'system' },
    {
      role: 'user',
      name: 'user',
      content: [
        { type: 'text', text: 'user' },
        { type: 'file', file: { filename: 'document' } },
        { type: 'text', text: 'retrieved', svc_origin: 'retrieved' },
        { type: 'text', text: 'user', svc_origin: 'somebody' },
        { type: 'novel', text: 'unknown' },
        { text: 'unknown' },
        { type: 'text', text: 'user', novel: { deep: ['unknown'] } },
      ],
      novel: 'unknown',
    },
    {
      role: 'assistant',
      content: 'assistant',
      tool_calls: [{ id: 'call', type: 'function', function: { name: 'assistant', arguments: '{"a":"assistant"}' } }],
      annotations: [{ type: 'url_citation', url_citation: { title: 'document' } }],
      vendor_calls: [{ type: 'mcp_call', arguments: '{"a":"assistant"}', note: 'unknown' }],
      executed_tools: [{ name: 'tool' }],
    },
    { role: 'tool', tool_call_id: 'call', content: '{"a":{"b":["tool"]}}' },
    {
      role: 'function',
      name: 'tool',
      content: [
        { type: 'text', text: 'tool' },
        { type: 'novel', text: 'unknown' },
      ],
    },
    { role: 'tool', content: 'tool', svc_origin: 'retrieved' },
    { role: 'user', content: 'retrieved', svc_origin: 'retrieved' },
    { role: 'user', content: 'user', svc_origin: 'somebody' },
  ];
  const tools = [
    { type: 'function', function: { name: 'request', parameters: { properties: { own: { description: 'request' } } } } },
  ];
  expectOrigins(CHAT, { model: 'm', messages, tools, metadata: { own: 'request' }, documents: [{ text: 'unknown' }] });
});

test('messages', () => {
  const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });
  const messages = [
    { role: 'user', content: 'user' },
    {
      role: 'user',
      content: [
        text('user', { citations: [{ cited_text: 'document' }] }),
        { type: 'document', title: 'document', context: 'document', source: { type: 'text', data: 'document' } },
        { type: 'document', source: { type: 'content', content: [text('document')] } },
        { type: 'search_result', source: 'document', title: 'document', content: [text('document')] },
        { type: 'novel', content: [text('unknown')] },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'assistant' },
        { type: 'tool_use', id: 'assistant', name: 'assistant', input: { own: 'assistant' } },
        { type: 'mcp_tool_result', tool_use_id: 'tool', content: [text('tool')] },
        { type: 'web_search_tool_result', content: [{ type: 'web_search_result', title: 'tool', url: 'tool' }] },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'tool',
          content: [text('tool'), { type: 'document', title: 'tool', source: { data: 'tool' } }],
        },
        text('retrieved', { svc_origin: 'retrieved' }),
      ],
      novel: 'unknown',
    },
  ];
  const system = [text('system')];
  expectOrigins(MESSAGES, {
    model: 'm',
    system,
    messages,
    tools: [{ name: 'request', description: 'request' }],
    novel: 'unknown',
  });
});

test('a request for a response', () => {
  const input = [
    { role: 'developer', content: 'system' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'user' },
        { type: 'input_file', filename: 'document', file_id: 'document' },
        { type: 'novel', text: 'unknown' },
      ],
    },
    { type: 'function_call', call_id: 'call', name: 'assistant', arguments: '{"own":"assistant"}' },
    { type: 'function_call_output', call_id: 'call', output: '{"a":"tool"}' },
    { type: 'custom_tool_call_output', output: [{ type: 'input_text', text: 'tool' }] },
    { type: 'mcp_call', name: 'assistant', arguments: '{"own":"assistant"}', output: 'tool', error: 'tool' },
    { type: 'mcp_list_tools', tools: [{ name: 'tool', description: 'tool' }] },
    { type: 'file_search_call', queries: ['assistant'], results: [{ filename: 'document', text: 'document' }] },
    { type: 'web_search_call', action: { type: 'search', query: 'assistant', sources: [{ type: 'url', url: 'tool' }] } },
    { type: 'web_search_call', action: { type: 'open_page', url: 'document', title: 'document' } },
    {
      type: 'computer_call',
      action: { type: 'type', text: 'assistant' },
      pending_safety_checks: [{ id: 'tool', code: 'tool', message: 'tool' }],
    },
    { type: 'code_interpreter_call', code: 'assistant', outputs: [{ type: 'logs', logs: 'tool' }] },
    { type: 'novel', text: 'unknown' },
    { role: 'user', content: 'retrieved', type: 'message', svc_origin: 'retrieved' },
  ];
  expectOrigins(RESPONSES, { model: 'm', instructions: 'system', input, metadata: { own: 'request' } });
  expectOrigins(RESPONSES, { model: 'm', input: 'user' });
});

const SPOKEN: readonly (readonly [Protocol, (role: unknown) => RequestBody])[] = [
  [CHAT, (role) => ({ model: 'm', messages: [{ role, content: 'said' }] })],
  [MESSAGES, (role) => ({ model: 'm', messages: [{ role, content: 'said' }] })],
  [RESPONSES, (role) => ({ model: 'm', input: [{ role, content: 'said' }] })],
];
describe.each(SPOKEN.map(([protocol, body]) => [protocol.id, protocol, body] as const))('a role in %s', (_, protocol, body) => {
  it.each([
    ['user', 'user'],
    ['assistant', 'assistant'],
    ['system', 'system'],
    ['tool', 'tool'],
    ['function', 'tool'],
    ['narrator', 'unknown'],
  ])('%s is the origin %s', (role, origin) => {
    const { segments } = collectRequest(protocol, body(role)).seen('all');
    expect(segments.filter(({ text }) => text === 'said').map((segment) => segment.origin)).toEqual([origin]);
  });
});

test('a role that is not a text makes an item unknown', () => {
  const [, body] = SPOKEN[2] ?? [RESPONSES, () => ({ model: 'm' })];
  for (const role of [7, {}, [], ['user'], parseExact('12345678901234567890')]) {
    const { segments } = collectRequest(RESPONSES, body(role)).seen('all');
    expect(segments.find(({ text }) => text === 'said')?.origin).toBe('unknown');
  }
});

describe('an answer', () => {
  it('is of the assistant, except what tools of the vendor returned', () => {
    const message = {
      role: 'assistant',
      content: 'assistant',
      context: { citations: [{ content: 'document' }] },
      novel: 'unknown',
    };
    expectNamed(originsIn(collectTable(CHAT.answer, { choices: [{ message }], search_results: [{ title: 'document' }] })));
    const content = [
      { type: 'text', text: 'assistant', citations: [{ cited_text: 'document' }] },
      { type: 'server_tool_use', name: 'assistant', input: { own: 'assistant' } },
      { type: 'web_search_tool_result', content: [{ title: 'tool' }] },
    ];
    expectNamed(originsIn(collectTable(MESSAGES.answer, { content })));
    const output = [
      { type: 'message', content: [{ type: 'output_text', text: 'assistant', annotations: [{ title: 'document' }] }] },
      { type: 'mcp_call', name: 'assistant', output: 'tool' },
      { type: 'file_search_call', results: [{ text: 'document' }] },
    ];
    expectNamed(originsIn(collectTable(RESPONSES.answer, { output })));
  });

  it('has the same origins in the frames of a stream', () => {
    const item = { type: 'mcp_call', name: 'assistant', output: 'tool' };
    const frame = { type: 'response.output_item.done', item };
    expectNamed(originsIn(collectTable(RESPONSES.frames.table, frame)));
    const content_block = { type: 'web_search_tool_result', content: [{ title: 'tool' }] };
    expectNamed(originsIn(collectTable(MESSAGES.frames.table, { type: 'content_block_start', content_block })));
    const delta = { reasoning_content: 'assistant', annotations: [{ url_citation: { title: 'document' } }] };
    expectNamed(originsIn(collectTable(CHAT.frames.table, { choices: [{ delta }] })));
  });
});

const BODIES: readonly (readonly [Protocol, RequestBody])[] = [
  [
    CHAT,
    {
      model: 'm',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a' }] },
        { role: 'tool', content: 'b' },
      ],
    },
  ],
  [
    MESSAGES,
    {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', content: [{ type: 'text', text: 'a' }] },
            { type: 'text', text: 'b' },
          ],
        },
      ],
    },
  ],
  [
    RESPONSES,
    {
      model: 'm',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
        { type: 'function_call_output', output: 'b' },
      ],
    },
  ],
];

describe.each(BODIES.map(([protocol, body]) => [protocol.id, protocol, body] as const))('in %s', (_, protocol, body) => {
  it('a text in an unknown field is never trusted', () => {
    const holders = objectsIn(body);
    fc.assert(
      fc.property(fc.nat({ max: holders.length - 1 }), fc.constantFrom('value', 'object', 'list'), (at, form) => {
        const copy = structuredClone(body);
        const holder = objectsIn(copy)[at] as Record<string, unknown>;
        holder.novel = form === 'value' ? 'marker' : form === 'list' ? ['marker'] : { type: 'text', text: 'marker' };
        const payload = collectRequest(protocol, copy);
        payload.untrusted = [];
        const found = payload.seen('all').segments.filter(({ text }) => text === 'marker');
        expect(found.map(({ origin, untrusted }) => [origin, untrusted])).toEqual([['unknown', true]]);
      }),
    );
  });

  it('a type that is not a string makes the texts beside it unknown', () => {
    for (const type of [7, null, {}, [], Object.create(null)]) {
      const copy = structuredClone(body);
      const typed = objectsIn(copy).filter((holder) => 'type' in holder);
      for (const holder of typed) Object.assign(holder, { type });
      const origins = collectRequest(protocol, copy)
        .seen('all')
        .segments.map(({ origin }) => origin);
      expect(origins).toContain('unknown');
    }
  });

  it('a text is untrusted if the route does not trust its origin', () => {
    fc.assert(
      fc.property(fc.subarray([...TEXT_ORIGINS]), (untrusted) => {
        const payload = collectRequest(protocol, structuredClone(body));
        payload.untrusted = untrusted;
        const { segments } = payload.seen('all');
        expect(new Set(segments.map(({ origin }) => origin))).toEqual(new Set(['user', 'tool']));
        for (const segment of segments) expect(segment.untrusted).toBe(untrusted.includes(segment.origin));
      }),
    );
  });
});

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(objectsIn)];
}

function expectOrigins(protocol: Protocol, body: RequestBody): void {
  expectNamed(ofRequest(protocol, body));
}

function expectNamed(found: ReturnType<typeof originsIn>): void {
  expect(found.length).toBeGreaterThan(0);
  expect(found).toEqual(found.map(([path, text]) => [path, text, text]));
}
