import { parseExact } from '@svc/contracts';
import { describe, expect, test } from 'vitest';
import { MESSAGES_ANSWER, MESSAGES_FRAME, MESSAGES_REQUEST } from './tables.ts';

const asked = (pattern: string) => MESSAGES_REQUEST.placeOf(pattern);
const said = (pattern: string) => MESSAGES_ANSWER.placeOf(pattern);
const sent = (pattern: string) => MESSAGES_FRAME.placeOf(pattern);

/** Paths of each kind of block in a turn, and the fields in it that no guard needs to read. */
const BLOCKS = ['messages.*.content.*', 'messages.*.content.*.content.*', 'messages.*.content.*.source.content.*', 'system.*'];

const PLAIN_TEXT = {
  isToolArguments: false,
  isToolInput: false,
  isName: false,
  isOwn: false,
  isQuantity: false,
  idKind: null,
  opaqueKind: null,
  isSealed: false,
  isEssential: false,
  isSigned: false,
};

test("the bytes of a source are an image's, or a file's if its type is not an image type", () => {
  const { opaqueKind } = asked('messages.*.content.*.source.data');
  const kindOf = (beside: object) => opaqueKind?.('iVBORw0K', beside)?.why ?? null;
  expect(kindOf({ type: 'base64', media_type: 'image/png' })).toBe('image');
  for (const media_type of ['application/pdf', undefined, null, 7, {}, ['image/png'], parseExact('12345678901234567890')])
    expect(kindOf({ type: 'base64', media_type })).toBe('file');
  expect(kindOf({ type: 'text', media_type: 'image/png' })).toBeNull();
});

describe('text', () => {
  test.each([
    'system',
    'messages.*.content',
    ...BLOCKS.flatMap((block) =>
      ['text', 'thinking', 'title', 'context', 'source', 'content', 'stdout', 'page_age', 'url', 'citations.*.cited_text'].map(
        (name) => `${block}.${name}`,
      ),
    ),
    'messages.*.content.*.content.content.source.title',
    'messages.*.content.*.?',
    'stop_sequences.*',
    'tools.*.description',
    'tools.*.input_examples.*.?',
    'metadata.user_id',
    'context_management.edits.*.instructions',
    'mcp_servers.*.authorization_token',
    '?',
  ])('a request has it in %s', (pattern) => {
    expect(asked(pattern)).toMatchObject(PLAIN_TEXT);
    expect(asked(pattern).vocabulary.has('text')).toBe(false);
  });

  test.each([
    'content.*.text',
    'content.*.thinking',
    'content.*.content.*.title',
    'stop_sequence',
    'stop_details.explanation',
    '?',
  ])('an answer has it in %s', (pattern) => expect(said(pattern)).toMatchObject(PLAIN_TEXT));

  test.each([
    'delta.text',
    'delta.thinking',
    'delta.partial_json',
    'delta.?',
    'content_block.text',
    'message.?',
    'delta.stop_sequence',
  ])('a frame has it in %s', (pattern) => expect(sent(pattern)).toMatchObject(PLAIN_TEXT));
});

describe('words of the protocol', () => {
  test.each<[string, string]>([
    ['messages.*.role', 'assistant'],
    ['messages.*.content.*.type', 'mcp_tool_result'],
    ['messages.*.content.*.content.*.type', 'search_result'],
    ['messages.*.content.*.content.type', 'code_execution_result'],
    ['messages.*.content.*.content.*.source.type', 'base64'],
    ['messages.*.content.*.source.media_type', 'image/png'],
    ['messages.*.content.*.source.content.*.type', 'text'],
    ['messages.*.content.*.citations.*.type', 'char_location'],
    ['system.*.cache_control.ttl', '1h'],
    ['tools.*.type', 'bash_20250124'],
    ['tools.*.input_schema.properties.?.type', 'string'],
    ['output_config.format.schema.type', 'object'],
    ['tool_choice.type', 'any'],
    ['thinking.type', 'adaptive'],
    ['context_management.edits.*.type', 'clear_thinking_20251015'],
  ])('are found in %s: %s', (pattern, word) => {
    expect(asked(pattern).vocabulary.has(word)).toBe(true);
    expect(asked(pattern).vocabulary.has('4111')).toBe(false);
  });

  test('are found in answers and their frames', () => {
    expect(said('stop_reason').vocabulary.has('end_turn')).toBe(true);
    expect(sent('delta.stop_reason').vocabulary.has('end_turn')).toBe(true);
    expect(sent('type').vocabulary.has('content_block_start')).toBe(true);
    expect(sent('delta.type').vocabulary.has('signature_delta')).toBe(true);
    expect(sent('content_block.type').vocabulary.has('tool_use')).toBe(true);
    expect(sent('message.type').vocabulary.has('message')).toBe(true);
    expect(sent('role').vocabulary.has('assistant')).toBe(false);
  });

  test('are not recognised in a tool input that a model wrote', () => {
    expect(asked('messages.*.content.*.input.type')).toMatchObject({ isToolInput: true });
    expect(asked('messages.*.content.*.input.type').vocabulary.has('text')).toBe(false);
    expect(asked('messages.*.content.*.input.content.*.source.data').opaqueKind).toBeNull();
  });
});

describe('input of tools, names, ids and quantities', () => {
  test.each(['messages.*.content.*.input', 'messages.*.content.*.input.?.*.name'])('%s is input', (pattern) =>
    expect(asked(pattern)).toMatchObject({ isToolInput: true, isName: false }),
  );
  test.each(['content.*.input', 'content.*.input.?'])('%s is input', (pattern) => expect(said(pattern).isToolInput).toBe(true));
  test('are in a frame where its block begins', () => expect(sent('content_block.input.?').isToolInput).toBe(true));

  test.each([
    'tools.*.name',
    'tool_choice.name',
    'mcp_servers.*.name',
    'messages.*.content.*.name',
    'messages.*.content.*.server_name',
  ])('%s is a name', (pattern) => expect(asked(pattern).isName).toBe(true));

  test.each<[string, 'call' | 'other']>([
    ['messages.*.content.*.id', 'call'],
    ['messages.*.content.*.tool_use_id', 'call'],
    ['messages.*.content.*.source.file_id', 'other'],
    ['messages.*.content.*.file_id', 'other'],
    ['container', 'other'],
    ['container.id', 'other'],
  ])('%s is an id: %s', (pattern, idKind) => expect(asked(pattern)).toMatchObject({ idKind }));

  test.each(['max_tokens', 'top_k', 'thinking.budget_tokens', 'output_config.task_budget.total', 'tools.*.max_uses'])(
    '%s is a quantity',
    (pattern) => expect(asked(pattern).isQuantity).toBe(true),
  );
  test.each(['index', 'usage.output_tokens', 'message.usage.input_tokens', 'delta.citation.start_char_index'])(
    'a frame has a quantity in %s',
    (pattern) => expect(sent(pattern).isQuantity).toBe(true),
  );

  test('the gateway writes the model, and the id of an answer', () => {
    expect(asked('model').isOwn).toBe(true);
    expect(asked('id').isOwn).toBe(false);
    expect([said('id').isOwn, said('model').isOwn, sent('message.id').isOwn, sent('message.model').isOwn]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([sent('id').isOwn, sent('delta.id').isOwn]).toEqual([false, false]);
  });
});

describe('content that no guard can read', () => {
  test.each([
    'messages.*.content.*.signature',
    'messages.*.content.*.data',
    'messages.*.content.*.encrypted_content',
    'messages.*.content.*.content.*.encrypted_content',
    'messages.*.content.*.content.encrypted_stdout',
    'messages.*.content.*.citations.*.encrypted_index',
  ])('%s is sealed, if it has the right form', (pattern) => {
    const place = asked(pattern);
    expect(place.isSealed).toBe(true);
    expect(place.opaqueKind?.('QUJD', {})).toEqual({ why: 'opaque', readable: false });
    expect(place.opaqueKind?.('svc_opaque_QUJD', {})).toEqual({ why: 'handle', readable: false });
    expect(place.opaqueKind?.('my card is', {})).toBeNull();
  });

  test('a signature has a frame of its own', () => {
    expect(sent('delta.signature')).toMatchObject({ isSealed: true });
    expect(sent('delta.encrypted_content')).toMatchObject({ isSealed: true });
    expect(sent('content_block.data')).toMatchObject({ isSealed: true });
    expect(sent('delta.citation.encrypted_index')).toMatchObject({ isSealed: true });
  });

  test('a signature covers the texts of its block', () => {
    expect(asked('messages.*.content.*').isSigned).toBe(true);
    expect(said('content.*').isSigned).toBe(true);
    expect(asked('messages.*.content.*.content.*').isSigned).toBe(false);
  });

  test.each(BLOCKS.map((block) => `${block}.source.data`))('bytes are found in %s, but not in a plain text', (pattern) => {
    const kind = asked(pattern).opaqueKind;
    expect(kind?.('QUJD', { type: 'base64', media_type: 'image/png' })).toEqual({ why: 'image', readable: false });
    expect(kind?.('QUJD', { type: 'base64', media_type: 'application/pdf' })).toEqual({ why: 'file', readable: false });
    expect(kind?.('QUJD', { type: 'text', media_type: 'text/plain' })).toBeNull();
    expect(kind?.('not bytes', { type: 'base64', media_type: 'image/png' })).toBeNull();
  });

  test('links and stored files are shown to guards', () => {
    expect(asked('messages.*.content.*.source.url').opaqueKind?.('https://x.example/a.png', {})).toMatchObject({
      readable: true,
    });
    expect(asked('messages.*.content.*.content.*.source.file_id').opaqueKind?.('file_1', {})).toMatchObject({ readable: true });
  });
});

describe('the speaker', () => {
  test.each<[string, string | null]>([
    ['system', 'system'],
    ['system.*.text', 'system'],
    ['messages.*.content', null],
    ['messages.*.content.*.text', null],
    ['messages.*.content.*.input.?', null],
    ['messages.*.content.*.content', 'tool'],
    ['messages.*.content.*.content.*.text', 'tool'],
    ['messages.*.content.*.content.*.source.data', 'tool'],
    ['messages.*.content.*.content.content.source.title', 'tool'],
    ['messages.*.content.*.source.content.*.text', null],
    ['tools.*.description', null],
  ])('%s: %s', (pattern, role) => expect(asked(pattern).role).toBe(role));

  test('an answer comes from the model, whatever its tools found', () =>
    expect(said('content.*.content.*.title').role).toBeNull());

  test('a tool result may be JSON', () => {
    expect(asked('messages.*.content.*.content.*.text').json).toBe('tool');
    expect(asked('messages.*.content.*.content').json).toBe('tool');
    expect(asked('messages.*.content.*.text').json).toBeNull();
    expect(said('content.*.content.stdout').json).toBe('anyone');
  });
});
