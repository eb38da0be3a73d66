import type { ChatCompletionChunk, ChatMessage } from '@svc/sdk';
import { parseExact } from '@svc/sdk/json';
import type { RequestBody } from '@svc/sdk/protocol';
import { describe, expect, test } from 'vitest';
import { GEMINI } from './protocol.ts';
import { BODIES, REQUEST, SIGNATURE } from './test-bodies.ts';

const { bridge, frames } = GEMINI;
const IDENTITY = { id: '01890a5d-ac96-774b-bcce-b302099a8057', created: 7, model: 'route' };
const asked = (more: object): RequestBody => ({ model: 'route', contents: [{ parts: [{ text: 'Hi.' }] }], ...more });

test('a request that both formats can express is unchanged after both conversions, and nothing is named as lost', () => {
  const { body, lost } = bridge.requestToChat(structuredClone(REQUEST));
  const back = bridge.requestFromChat(body);
  const { role: _, ...instruction } = REQUEST.systemInstruction;
  expect([back.body, lost, back.lost]).toEqual([{ ...REQUEST, systemInstruction: instruction }, [], []]);
});

test('calls without ids are linked to their results, and return without ids', () => {
  const parts = [{ functionCall: { name: 'f', args: { a: 1 } } }, { functionCall: { name: 'f', args: { a: 2 } } }];
  const results = [1, 2].map((n) => ({ functionResponse: { name: 'f', response: { output: `${n}` } } }));
  const contents = [
    { role: 'user', parts: [{ text: 'Go.' }] },
    { role: 'model', parts },
    { role: 'user', parts: results },
  ];
  const { body } = bridge.requestToChat(asked({ contents }));
  const [, call, ...answers] = body.messages;
  expect(answers.map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual(
    call?.tool_calls?.map(({ id }, at) => [id, `${at + 1}`]),
  );
  expect(bridge.requestFromChat(body).body.contents).toEqual(contents);
});

test('content without an equivalent is named at every level', () => {
  const { lost } = bridge.requestToChat(
    asked({
      safetySettings: [{ category: 'x' }],
      tools: [{ googleSearch: {} }],
      contents: [{ role: 'user', parts: [{ text: 'Hi.', videoMetadata: { fps: 1 } }, { fileData: { fileUri: 'files/1' } }] }],
      generationConfig: { topK: 3, thinkingConfig: { thinkingBudget: 512, includeThoughts: true }, speechConfig: { a: 1 } },
      somethingNew: 'x',
    }),
  );
  expect(lost).toEqual([
    'safetySettings',
    'other',
    'contents.parts.videoMetadata',
    'contents.parts.fileData',
    'tools.googleSearch',
    'generationConfig.topK',
    'generationConfig.speechConfig',
    'generationConfig.thinkingConfig.includeThoughts',
    'generationConfig.thinkingConfig.thinkingBudget',
  ]);
});

/** Values that are no text: `String` of the last two throws. */
const NO_TEXTS = [
  undefined,
  null,
  7,
  {},
  ['image/png'],
  parseExact('12345678901234567890'),
  [parseExact('12345678901234567890')],
];

test('only the modality TEXT is expressed, and any other is named as lost', () => {
  const lostBy = (responseModalities: unknown) => bridge.requestToChat(asked({ generationConfig: { responseModalities } })).lost;
  expect(lostBy(['TEXT'])).toEqual([]);
  for (const value of NO_TEXTS.filter((each) => each != null && Object.keys(Object(each)).length > 0))
    expect(lostBy(value)).toEqual(['generationConfig.responseModalities']);
  expect(lostBy(['TEXT', 'IMAGE'])).toEqual(['generationConfig.responseModalities']);
  expect(lostBy([['TEXT']])).toEqual(['generationConfig.responseModalities']);
});

test('a file whose type is not a string is not an image', () => {
  const partOf = (mimeType: unknown) => {
    const contents = [{ role: 'user', parts: [{ fileData: { fileUri: 'https://a.example/a', mimeType } }, { text: 'Look.' }] }];
    return bridge.requestToChat(asked({ contents })).lost;
  };
  expect([partOf('image/png'), partOf(undefined)]).toEqual([[], []]);
  for (const value of NO_TEXTS.filter((each) => each != null)) expect(partOf(value)).toEqual(['contents.parts.fileData']);
});

test('bytes are of an image or audio, or of a file if their type is not a text', () => {
  const { opaqueKind } = GEMINI.request.placeOf('contents.*.parts.*.inlineData.data');
  const kindOf = (mimeType: unknown) => opaqueKind?.('iVBORw0K', { mimeType })?.why;
  expect([kindOf('image/png'), kindOf('audio/wav'), kindOf('application/pdf')]).toEqual(['image', 'audio', 'file']);
  for (const value of NO_TEXTS) expect(kindOf(value)).toBe('file');
});

test('a role means the same as in the other protocols', () => {
  const roles = ['user', 'model', 'function', 'tool', 'system', 'narrator', undefined];
  const contents = roles.map((role) => ({ role, parts: [] }));
  expect(GEMINI.rolesOf(asked({ contents }))).toEqual(['user', 'assistant', 'tool', 'tool', 'system', 'narrator', 'user']);
});

test.each([
  ['a body without turns', { contents: [] }],
  ['turns that are none', { contents: 'Hi.' }],
  ['a role that is none', { contents: [{ role: 'narrator', parts: [] }] }],
  ['a content part that is not an object', { contents: [{ parts: ['Hi.'] }] }],
])('refuses %s', (_what, more) => {
  expect(() => bridge.requestToChat(asked(more))).toThrow(expect.objectContaining({ code: 'SVC-REQ-001' }));
});

test('a schema in the form of Google becomes JSON Schema in the chat format', () => {
  const schema = {
    type: 'OBJECT',
    properties: { type: { type: 'STRING', nullable: true, maxLength: '9' } },
    propertyOrdering: ['type'],
  };
  const { body } = bridge.requestToChat(
    asked({ generationConfig: { responseMimeType: 'application/json', responseSchema: schema } }),
  );
  expect(body.response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'answer', schema: { type: 'object', properties: { type: { type: ['string', 'null'], maxLength: 9 } } } },
  });
});

test('arguments keep all digits of their numbers', () => {
  const written = '{"account":12345678901234567890}';
  const message = { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: written } }] };
  const { body } = bridge.requestFromChat({ model: 'm', messages: [message] });
  expect(JSON.stringify(body)).toContain('12345678901234567890');
});

describe('thinking', () => {
  const signedCall = { functionCall: { name: 'f', args: {} }, thoughtSignature: SIGNATURE };
  const answer = (parts: object[]) => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] });

  test('that Google signed is a block for other clients, and returns to the call that it was signed with', () => {
    const completion = bridge.answerToChat(answer([{ text: 'Hm.', thought: true }, signedCall]), IDENTITY);
    const message: ChatMessage = completion.choices[0]?.message ?? { role: '' };
    expect(message).toMatchObject({
      reasoning_content: 'Hm.',
      thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: SIGNATURE }],
    });
    // The message as clients send it back that know only thinking blocks.
    const { reasoning_content: _, tool_calls = [], ...rest } = message;
    const bare = { ...rest, tool_calls: tool_calls.map(({ extra_content: __, ...call }) => call) };
    const { contents } = bridge.requestFromChat({ model: 'm', messages: [bare] }).body;
    expect(contents).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { ...signedCall, functionCall: { ...signedCall.functionCall, id: expect.stringMatching(/^call_/) } },
        ],
      },
    ]);
  });

  test('that a client declares unsigned is not a block', () => {
    const parts = [{ ...signedCall, thoughtSignature: 'skip_thought_signature_validator' }];
    const { body } = bridge.requestToChat(asked({ contents: [{ role: 'model', parts }] }));
    expect(body.messages[0]).not.toHaveProperty('thinking_blocks');
  });
});

test('a blocked prompt is an empty answer, whole and streamed', () => {
  const blocked = { promptFeedback: { blockReason: 'SAFETY' } };
  const whole = bridge.answerToChat(blocked, IDENTITY);
  expect(whole).toMatchObject({
    choices: [{ finish_reason: 'content_filter', message: { content: null } }],
    svc_left_out: ['promptFeedback'],
  });
  const streamed = bridge.framesToChat(IDENTITY);
  streamed.take(blocked);
  expect(streamed.end()[0]).toMatchObject({ choices: [{ finish_reason: 'content_filter' }] });
});

test('a reader ends a text after its last piece, and every text with the last frame', () => {
  const reader = frames.reader();
  const [stream = []] = BODIES.streams;
  const readings = stream.map((frame) => reader.read(frame));
  expect(readings.at(-1)).toMatchObject({ isLast: true, part: null });
  const ended = readings.flatMap(({ ends }) => ends);
  expect(new Set(ended)).toEqual(new Set(['candidates.0.content.parts.0.text', 'candidates.0.content.parts.1.text']));
  expect(reader.facts).toEqual({
    finish_reason: 'tool_calls',
    usage: { input_tokens: 3, output_tokens: 5, cached_input_tokens: 0, estimated: false },
  });
});

test('calls of a streamed completion wait until they are whole', () => {
  const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null): ChatCompletionChunk => ({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const made = bridge.framesFromChat(asked({}));
  const first = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a"' } };
  expect(made.take(chunk({ tool_calls: [first] }))).toEqual([]);
  expect(made.take(chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }, 'tool_calls'))).toEqual([]);
  expect(made.end()).toMatchObject([
    { candidates: [{ content: { parts: [{ functionCall: { id: 'c', name: 'f', args: { a: 1 } } }] }, finishReason: 'STOP' }] },
  ]);
});
