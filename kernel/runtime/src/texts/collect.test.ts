import type { ChatCompletion, ChatRequest } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import type { Payload } from './payload.ts';
import { applyEdits, collectCompletion, collectRequest, seen } from './test-parts.ts';

describe('fields with a fixed set of values', () => {
  const seenIn = (more: object): string[] => seen(collectRequest({ model: 'm', messages: [], ...more }));

  it('are skipped if they have one of these values, and checked otherwise', () => {
    const listed = {
      service_tier: 'flex',
      reasoning_effort: 'high',
      tool_choice: 'auto',
      modalities: ['text', 'audio'],
      response_format: { type: 'json_schema' },
      tools: [{ type: 'function' }, { type: 'custom', custom: { format: { type: 'grammar', grammar: { syntax: 'lark' } } } }],
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'u', detail: 'low' } }] }],
    };
    expect(seenIn(listed)).toEqual(['u']);
    const others = {
      service_tier: '4111111111111111',
      reasoning_effort: 'sk-1',
      tool_choice: 'AKIA',
      modalities: ['4111111111111111'],
      response_format: { type: 'a.b' },
      tools: [{ type: 'x' }],
      messages: [{ role: 'my card 4111', content: '' }],
    };
    expect(seenIn(others)).toEqual(['my card 4111', '', '4111111111111111', 'sk-1', 'AKIA', '4111111111111111', 'a.b', 'x']);
  });

  it("are versions of a vendor's tools, and no other digits", () => {
    const types = ['text_editor_20250728', 'bash_20250124', 'computer_20251124', 'web_search_2025_08_26', 'web_search_preview'];
    expect(seenIn({ tools: types.map((type) => ({ type })), tool_choice: { type: 'web_search' } })).toEqual([]);
    const others = ['bash_41111111', 'bash_20251301', 'bash_20250124_20250124', 'phone_20250124', 'bash_4111_11_11'];
    expect(seenIn({ tools: others.map((type) => ({ type })) })).toEqual(others);
  });

  it('are skipped in an answer as well', () => {
    const message = { role: 'assistant', content: null, annotations: [{ type: 'url_citation' }, { type: 'sk-1' }] };
    const choices = ['stop', 'AKIA'].map((finish_reason, index) => ({ index, finish_reason, message }));
    const answer = { id: 'i', object: 'chat.completion', created: 7, model: 'm', service_tier: 'default', choices } as const;
    expect(seen(collectCompletion(answer as unknown as ChatCompletion))).toEqual(['sk-1', 'AKIA', 'sk-1']);
  });

  it('that contain counts are skipped if they are short', () => {
    expect(seenIn({ n: 2, max_tokens: 1_000_000, temperature: 0.75, logit_bias: { 50256: -100 } })).toEqual(['50256']);
    expect(seenIn({ max_tokens: 41_111_111, temperature: 0.4111111111111111 })).toEqual(['41111111', '0.4111111111111111']);
  });

  it('a JSON schema shows its descriptions, not its types', () => {
    const parameters = { type: 'object', properties: { type: { type: 'string', description: 'kind' } } };
    const request = {
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
    };
    expect(collectRequest(request).leaves.map(({ text, kind }) => [text, kind])).toEqual([
      ['x', 'text'],
      ['f', 'name'],
      ['kind', 'text'],
    ]);
  });
});

describe('scope new', () => {
  const payloadOf = (...roles: string[]) =>
    collectRequest({ model: 'm', messages: roles.map((role, i) => ({ role, content: `m${i}` })), user: 'u' });
  const texts = (payload: Payload) => payload.inScope('new', true).map((leaf) => leaf.text);

  it('leaves out everything up to the last assistant message', () => {
    const payload = payloadOf('system', 'user', 'assistant', 'tool', 'user');
    expect(texts(payload)).toEqual(['m3', 'm4', 'u']);
    expect(payload.segments(payload.inScope('new', true)).map(({ index, role }) => [index, role])).toEqual([
      [0, 'tool'],
      [1, 'user'],
      [2, null],
    ]);
  });

  it('an assistant message at the end hides nothing', () => {
    expect(texts(payloadOf('user', 'assistant'))).toEqual(['m0', 'm1', 'u']);
    expect(texts(payloadOf('user', 'assistant', 'user', 'assistant', 'assistant'))).toEqual(['m2', 'm3', 'm4', 'u']);
  });
});

describe('keys and opaque fields', () => {
  const seenIn = (more: object): string[] =>
    seen(collectRequest({ model: 'm', messages: [{ role: 'user', content: '' }], ...more }));

  it('a key that a caller chose is text, and can be edited in its place', () => {
    const metadata = { 'card 4111': { id: 'x y' }, name: 'n' };
    const request = { model: 'm', messages: [{ role: 'user', content: 'c' }], metadata };
    const payload = collectRequest(request);
    const segments = payload.segments(payload.leaves);
    const key = segments.findIndex(({ kind }) => kind === 'key');
    expect(segments[key]).toMatchObject({ text: 'card 4111', path: 'metadata.0' });
    applyEdits(payload, [{ segment: key, start: 5, end: 9, replacement: '<N>' }], segments);
    expect(JSON.stringify(metadata)).toBe('{"card <N>":{"id":"x y"},"name":"n"}');
    const again = payload.segments(payload.leaves);
    const inside = again.findIndex(({ text }) => text === 'x y');
    applyEdits(payload, [{ segment: inside, start: 0, end: 3, replacement: 'z' }], again);
    expect(JSON.stringify(metadata)).toBe('{"card <N>":{"id":"z"},"name":"n"}');
  });

  it('a part like an image, audio or a file is text outside of messages and in any other form', () => {
    expect(
      seenIn({ metadata: { file: { file_id: 'secret' }, audio: { data: 'QUJD' }, image_url: 'data:image/png;base64,AAAA' } }),
    ).toEqual(['', 'secret', 'QUJD', 'data:image/png;base64,AAAA']);
    const parts = [
      { type: 'image_url', image_url: { url: 'data:text/plain,my password' } },
      { type: 'file', file: { file_data: 'my password', file_id: 'my password' } },
    ];
    expect(seenIn({ messages: [{ role: 'user', content: parts }] })).toEqual([
      'data:text/plain,my password',
      'my password',
      'my password',
    ]);
  });
});

describe('numbers outside of argument strings', () => {
  const CARD = 4_111_111_111_111_111;
  const schema = { type: 'object', properties: { card: { enum: [CARD], const: CARD, minimum: CARD } } };
  const request = (): ChatRequest => ({
    model: 'm',
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: { n: CARD } } }],
      },
      { role: 'user', content: [{ type: 'text', text: CARD }] },
    ] as unknown as ChatRequest['messages'],
    seed: CARD,
    metadata: { card: CARD, list: [CARD] },
    tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
    response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
  });

  it('are seen by guards that read numbers, and can be edited', () => {
    const subject = request();
    const payload = collectRequest(subject, true);
    const leaves = payload.inScope('all', true);
    const segments = payload.segments(leaves);
    const numbers = segments.filter(({ text }) => text === String(CARD));
    expect(numbers).toHaveLength(11);
    applyEdits(
      payload,
      numbers.map(({ index, text }) => ({ segment: index, start: 0, end: text.length, replacement: '<CARD>' })),
      segments,
      leaves,
    );
    expect(JSON.stringify(subject)).not.toContain(String(CARD));
    expect(subject).toMatchObject({ seed: '<CARD>', metadata: { card: '<CARD>', list: ['<CARD>'] } });
  });

  it('are collected only if a guard reads them, and hidden from other guards', () => {
    expect(seen(collectRequest(request(), false)).filter((text) => text === String(CARD))).toEqual([]);
    expect(
      collectRequest(request(), true)
        .inScope('all', false)
        .map(({ text }) => text),
    ).not.toContain(String(CARD));
  });
});

describe('ids of tool calls', () => {
  const CARD = '4111111111111111';
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
  const conversation = (): ChatRequest => ({
    model: 'm',
    messages: [
      { role: 'assistant', content: null, tool_calls: [call(CARD), call('call_2')] },
      { role: 'tool', tool_call_id: CARD, content: 'one' },
      { role: 'tool', tool_call_id: 'call_2', content: 'two' },
    ],
  });
  const maskCard = (payload: Payload, scope: 'all' | 'new'): void => {
    const leaves = payload.inScope(scope, true);
    const segments = payload.segments(leaves);
    const found = segments.filter(({ text }) => text === CARD);
    expect(found.length).toBeGreaterThan(0);
    applyEdits(
      payload,
      found.map(({ index }) => ({ segment: index, start: 0, end: CARD.length, replacement: '<CARD>' })),
      segments,
      leaves,
    );
  };

  it.each(['all', 'new'] as const)(
    'that are edited become ids of the gateway, the same for call and result (scope %s)',
    (scope) => {
      const request = conversation();
      maskCard(collectRequest(request), scope);
      const [first, second] = request.messages[0]?.tool_calls ?? [];
      expect(first?.id).toMatch(/^[a-z0-9]{9}$/);
      expect(request.messages[1]?.tool_call_id).toBe(first?.id);
      expect([second?.id, request.messages[2]?.tool_call_id]).toEqual(['call_2', 'call_2']);
      expect(JSON.stringify(request)).not.toContain(CARD);
    },
  );

  it('are shown to the next node as edited', () => {
    const request = conversation();
    const payload = collectRequest(request);
    maskCard(payload, 'all');
    const shown = payload.segments(payload.leaves).filter(({ kind }) => kind === 'id');
    const id = request.messages[1]?.tool_call_id;
    expect(shown.map(({ text }) => text)).toEqual([id, 'call_2', id, 'call_2']);
  });

  it("of an answer need no mapping back after an edit: the client sends the gateway's id back", () => {
    const message = { role: 'assistant', content: null, tool_calls: [call(CARD)] };
    const answer: ChatCompletion = {
      id: 'i',
      object: 'chat.completion',
      created: 7,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    };
    maskCard(collectCompletion(answer), 'all');
    const [masked] = answer.choices[0]?.message.tool_calls ?? [];
    expect(masked?.id).toMatch(/^[a-z0-9]{9}$/);
    expect(JSON.stringify(answer)).not.toContain(CARD);
  });
});

describe('vendor-only values', () => {
  const thinkingOf = (message: object): ChatRequest => ({
    model: 'm',
    messages: [{ role: 'assistant', content: null, ...message }],
  });
  const blocks = (...thinking_blocks: object[]) => thinkingOf({ thinking_blocks });
  const listed = ({ skipped, leaves }: Payload) => ({ skipped, seen: leaves.map(({ text }) => text) });

  it('is listed in its closed form, and its text is checked', () => {
    const request = blocks(
      { type: 'thinking', thinking: 'because', signature: 'c2ln+/==' },
      { type: 'redacted_thinking', data: 'svc_opaque_QUJD' },
    );
    expect(listed(collectRequest(request))).toEqual({
      skipped: [
        { path: 'messages.0.thinking_blocks.0.signature', why: 'opaque' },
        { path: 'messages.0.thinking_blocks.1.data', why: 'handle' },
      ],
      seen: ['because'],
    });
    const google = { thought_signature: 'QUJD' };
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: { google } };
    const details = [{ type: 'reasoning.encrypted', data: 'QUJD', id: 'rs_1', format: 'openai-responses-v1', index: 0 }];
    const seen = collectRequest(thinkingOf({ tool_calls: [call], reasoning_details: details }));
    expect(listed(seen)).toEqual({
      skipped: [
        { path: 'messages.0.tool_calls.0.extra_content.google.thought_signature', why: 'opaque' },
        { path: 'messages.0.reasoning_details.0.data', why: 'opaque' },
      ],
      seen: ['c', 'f', 'rs_1'],
    });
  });

  it.each([
    ['words', 'my card number'],
    ['a mail address', 'bob@example.com'],
    ['a character beyond ASCII', 'QUJDé'],
    ['padding inside', 'QU=JD'],
    ['more than any vendor writes', 'A'.repeat(262_145)],
  ])('is text with %s', (_what, signature) => {
    const { leaves, skipped } = collectRequest(blocks({ type: 'thinking', thinking: '', signature }));
    expect([leaves.map(({ text }) => text), skipped]).toEqual([['', signature], []]);
  });

  it.each([
    ['a request', 'request'],
    ['an answer', 'answer'],
  ] as const)('of %s is removed with an edit of the text that it signs, unless it is a handle', (_what, of) => {
    const message = {
      role: 'assistant',
      content: null,
      thinking_blocks: [
        { type: 'thinking', thinking: 'of Bob', signature: 'QUJD' },
        { type: 'thinking', thinking: 'of nobody', signature: 'REVG' },
        { type: 'thinking', thinking: 'of Bob', signature: 'svc_opaque_QUJD' },
      ],
      reasoning_details: [{ type: 'reasoning.text', text: 'of Bob', signature: 'QUJD' }],
    };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const completion = { id: 'i', object: 'chat.completion', created: 7, model: 'm', choices } as unknown as ChatCompletion;
    const payload =
      of === 'answer' ? collectCompletion(completion) : collectRequest({ model: 'm', messages: [message as never] });
    const segments = payload.segments(payload.leaves);
    const edits = segments.flatMap(({ index, text }) =>
      text === 'of Bob' ? [{ segment: index, start: 3, end: 6, replacement: '<NAME>' }] : [],
    );
    applyEdits(payload, edits, segments);
    expect(message.thinking_blocks).toEqual([
      { type: 'thinking', thinking: 'of <NAME>' },
      { type: 'thinking', thinking: 'of nobody', signature: 'REVG' },
      { type: 'thinking', thinking: 'of <NAME>', signature: 'svc_opaque_QUJD' },
    ]);
    expect(message.reasoning_details).toEqual([{ type: 'reasoning.text', text: 'of <NAME>' }]);
  });
});
