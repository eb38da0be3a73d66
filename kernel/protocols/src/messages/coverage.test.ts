import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Walk } from '../common/test-walk.ts';
import { MESSAGES_ANSWER, MESSAGES_FRAME, MESSAGES_REQUEST } from './tables.ts';

/** Law 2: guards see a text in any place, unless it is a word of the protocol, written by the gateway, or of the closed form that nobody reads. */
const TEXT = 'my card is 4111 1111 1111 1111';
const names = fc.oneof(
  fc.constantFrom(
    'type',
    'text',
    'content',
    'source',
    'data',
    'signature',
    'input',
    'id',
    'name',
    'role',
    'model',
    'title',
    'url',
    'delta',
  ),
  fc.constantFrom(
    'messages',
    'system',
    'tools',
    'citations',
    'cache_control',
    'message',
    'content_block',
    'usage',
    'index',
    'stop_reason',
  ),
  fc.string({ minLength: 1, maxLength: 4 }),
);
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { maxDepth: 5 },
    fc.constant(TEXT),
    fc.array(tie('body'), { maxLength: 3 }),
    fc.dictionary(names, tie('body'), { maxKeys: 4 }),
  ),
}));

describe('a text is shown to guards at any place', () => {
  test.each([
    ['request', MESSAGES_REQUEST, ['model']],
    ['answer', MESSAGES_ANSWER, ['id', 'model']],
    ['frame', MESSAGES_FRAME, ['message.id', 'message.model']],
  ] as const)('in a %s', (_name, table, own) => {
    fc.assert(
      fc.property(body, (value) => {
        const walk = new Walk(table).visit(value);
        expect([...walk.opaque.keys()]).toEqual([]);
        for (const path of walk.passed.keys()) expect(own).toContain(path);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** A request as Claude Code and the SDK send it, with each kind of block. */
const REQUEST = {
  model: 'r',
  max_tokens: 32_000,
  stream: true,
  system: [{ type: 'text', text: 'You are …', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  thinking: { type: 'enabled', budget_tokens: 31_999 },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  metadata: { user_id: 'user_x_account__session_y' },
  tools: [
    {
      name: 'Bash',
      description: 'Runs.',
      input_schema: { type: 'object', properties: { command: { type: 'string' } }, additionalProperties: false },
    },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
  ],
  tool_choice: { type: 'auto' },
  output_config: { effort: 'high' },
  messages: [
    { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0K' } }] },
    {
      role: 'user',
      content: [
        {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'password' },
          title: 'Notes',
          citations: { enabled: true },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'RXVZQkNrZ0lCaEFCR0FJ' },
        { type: 'redacted_thinking', data: 'RW1nS0NRZ0JFQUVZ' },
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls', type: 'text' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          is_error: false,
          content: [
            { type: 'text', text: 'a.txt' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0K' } },
          ],
        },
      ],
    },
  ],
};

test('all texts of an agent request are shown to guards, and nothing else', () => {
  const { shown, opaque } = new Walk(MESSAGES_REQUEST).visit(REQUEST);
  expect([...shown.keys()]).toEqual([
    'system.0.text',
    'metadata.user_id',
    'tools.0.name',
    'tools.0.description',
    'tools.0.input_schema.properties.command (key)',
    'tools.1.name',
    'messages.1.content.0.source.data',
    'messages.1.content.0.title',
    'messages.2.content.0.thinking',
    'messages.2.content.2.id',
    'messages.2.content.2.name',
    'messages.2.content.2.input.command (key)',
    'messages.2.content.2.input.command',
    'messages.2.content.2.input.type',
    'messages.3.content.0.tool_use_id',
    'messages.3.content.0.content.0.text',
  ]);
  expect([...opaque.keys()]).toEqual([
    'messages.0.content.0.source.data',
    'messages.2.content.0.signature',
    'messages.2.content.1.data',
    'messages.3.content.0.content.1.source.data',
  ]);
});
