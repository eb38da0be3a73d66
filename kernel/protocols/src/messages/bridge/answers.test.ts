import type { AnswerFrame, ChatCompletion, ChatCompletionChunk } from '@svc/contracts';
import { describe, expect, test } from 'vitest';
import { framesOfMessage, message } from '../test-parts.ts';
import { answerFromChat } from './answer-from-chat.ts';
import { answerToChat } from './answer-to-chat.ts';
import { FramesFromChat } from './frames-from-chat.ts';
import { FramesToChat } from './frames-to-chat.ts';

const IDENTITY = { id: 'chatcmpl-run', created: 7, model: 'asked' };

function chunksOf(frames: readonly AnswerFrame[]): ChatCompletionChunk[] {
  const bridge = new FramesToChat(IDENTITY);
  return [...frames.flatMap((frame) => bridge.take(frame)), ...bridge.end()];
}

const deltasIn = (chunks: readonly ChatCompletionChunk[]) => chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));

describe('a message as a chat completion', () => {
  test('has its texts, thinking and calls, and names the content without an equivalent', () => {
    const completion = answerToChat(
      message(
        [
          { type: 'thinking', thinking: 'Hm. ', signature: 'QUJD' },
          { type: 'redacted_thinking', data: 'REVG' },
          { type: 'text', text: 'One ', citations: [{ type: 'char_location', cited_text: 'x' }] },
          { type: 'text', text: 'two.', citations: null },
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          { type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Zürich' } },
          { type: 'not_invented_yet', text: 'three' },
        ],
        {
          stop_reason: 'tool_use',
          usage: {
            input_tokens: 10,
            output_tokens: 3,
            cache_creation_input_tokens: 200,
            cache_read_input_tokens: 1000,
            output_tokens_details: { thinking_tokens: 2 },
          },
        },
      ),
      IDENTITY,
    );
    expect(completion).toEqual({
      id: 'msg_upstream',
      object: 'chat.completion',
      created: 7,
      model: 'claude-1',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'One two.',
            reasoning_content: 'Hm. ',
            thinking_blocks: [
              { type: 'thinking', thinking: 'Hm. ', signature: 'QUJD' },
              { type: 'redacted_thinking', data: 'REVG' },
            ],
            tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"city":"Zürich"}' } }],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 1210,
        completion_tokens: 3,
        total_tokens: 1213,
        prompt_tokens_details: { cached_tokens: 1000, cache_creation_tokens: 200 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
      svc_left_out: ['content.citations', 'content.server_tool_use', 'content.other'],
    });
  });

  test.each([
    ['end_turn', 'stop', undefined],
    ['stop_sequence', 'stop', undefined],
    ['pause_turn', 'length', ['stop_reason']],
    ['not_invented_yet', 'stop', ['stop_reason']],
    ['max_tokens', 'length', undefined],
    ['model_context_window_exceeded', 'length', ['stop_reason']],
    ['tool_use', 'tool_calls', undefined],
    ['refusal', 'content_filter', undefined],
  ])('ends with %s as with %s', (stop_reason, finish_reason, left) => {
    const { choices, svc_left_out } = answerToChat(message([], { stop_reason }), IDENTITY);
    expect([choices[0]?.finish_reason, svc_left_out]).toEqual([finish_reason, left]);
  });

  test('names the stop sequence that ended it', () => {
    expect(answerToChat(message([], { stop_sequence: 'END' }), IDENTITY).svc_left_out).toEqual(['stop_sequence']);
  });

  test('has null for empty content, and no invalid usage', () => {
    expect(
      answerToChat({ type: 'message', content: [], stop_reason: 'end_turn', usage: { input_tokens: -1 } }, IDENTITY),
    ).toEqual({
      ...IDENTITY,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: null }, logprobs: null, finish_reason: 'stop' }],
    });
  });
});

describe('frames of a message as chunks', () => {
  test('begin with the head and the usage so far, then text as it arrives, the end, and the whole usage last', () => {
    const head = { id: 'msg_upstream', object: 'chat.completion.chunk', created: 7, model: 'claude-1' };
    const chunk = (said: object, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta: said, finish_reason }],
    });
    expect(chunksOf(framesOfMessage(message([{ type: 'text', text: 'eleven long' }]), 8))).toEqual([
      { ...chunk({ role: 'assistant' }), usage: expect.objectContaining({ prompt_tokens: 5 }) },
      chunk({ content: 'eleven l' }),
      chunk({ content: 'ong' }),
      chunk({}, 'stop'),
      { ...head, choices: [], usage: expect.objectContaining({ completion_tokens: 7 }) },
    ]);
  });

  test('carry each block of thinking after its text, for the next request; unsigned thinking is only text', () => {
    const content = [
      { type: 'thinking', thinking: 'Two and two. Four.', signature: 'QUJD' },
      { type: 'redacted_thinking', data: 'REVG' },
      { type: 'thinking', thinking: 'unsigned' },
      { type: 'text', text: 'It is four.' },
    ];
    const deltas = deltasIn(chunksOf(framesOfMessage(message(content), 4)));
    expect(deltas.map(({ reasoning_content }) => reasoning_content ?? '').join('')).toBe('Two and two. Four.unsigned');
    const order = deltas.flatMap(({ thinking_blocks, content: said }) => thinking_blocks ?? (said == null ? [] : ['text']));
    expect(order.slice(0, 3)).toEqual([...content.slice(0, 2), 'text']);
  });

  test('give a character whole if it was cut into halves, and a lone half as U+FFFD', () => {
    const frames = framesOfMessage(message([{ type: 'text', text: 'a👩b\ud83d' }]), 2);
    expect(
      deltasIn(chunksOf(frames))
        .map(({ content }) => content ?? '')
        .join(''),
    ).toBe('a👩b\uFFFD');
  });

  test('give the arguments of a call as they were written, and an empty object without arguments', () => {
    const content = [
      { type: 'tool_use', id: 'a', name: 'f', input: { n: 1 } },
      { type: 'tool_use', id: 'b', name: 'g', input: {} },
    ];
    const frames = framesOfMessage(message(content), 3).filter(({ delta }) => Object(delta).partial_json !== '{}');
    const calls = deltasIn(chunksOf(frames)).flatMap(({ tool_calls }) => tool_calls ?? []);
    const written = (call: number) =>
      calls
        .filter(({ index }) => index === call)
        .map(({ function: f }) => f?.arguments)
        .join('');
    expect([written(0), written(1)]).toEqual(['{"n":1}', '{}']);
  });

  test('name the content without an equivalent at the end', () => {
    const content = [
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'text', text: 'x' },
    ];
    const left = chunksOf(framesOfMessage(message(content, { stop_sequence: 'END' }), 3)).flatMap(
      ({ svc_left_out }) => svc_left_out ?? [],
    );
    expect(left).toEqual(['content.web_search_tool_result', 'stop_sequence']);
  });

  test('fail if the answer breaks off or the server failed', () => {
    expect(() => chunksOf(framesOfMessage(message([]), 3).slice(0, -1))).toThrow(
      expect.objectContaining({ kind: 'unavailable' }),
    );
    expect(() => chunksOf([{ type: 'error', error: { type: 'overloaded_error' } }])).toThrow(
      expect.objectContaining({ kind: 'unavailable', status: 529 }),
    );
    expect(() => chunksOf([{ type: 'message_stop' }])).toThrow(expect.objectContaining({ kind: 'malformed' }));
  });
});

const completion = (said: object, finish_reason: string | null = 'stop', more: object = {}): ChatCompletion => ({
  ...IDENTITY,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...said }, finish_reason }],
  usage: {
    prompt_tokens: 9,
    completion_tokens: 2,
    total_tokens: 11,
    prompt_tokens_details: { cached_tokens: 4, cache_creation_tokens: 3 },
  },
  ...more,
});

function framesFrom(deltas: readonly object[], finish_reason: string | null = 'stop'): AnswerFrame[] {
  const bridge = new FramesFromChat(null);
  const chunk = (delta: object, reason: string | null = null) =>
    ({
      ...IDENTITY,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    }) as ChatCompletionChunk;
  return [
    ...[...deltas.map((delta) => chunk(delta)), chunk({}, finish_reason)].flatMap((each) => bridge.take(each)),
    ...bridge.end(),
  ];
}

const call = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] });
const blocksOf = (deltas: readonly object[]) =>
  framesFrom(deltas)
    .filter(({ type }) => String(type).startsWith('content_block'))
    .map(({ index, delta, content_block }) => {
      const { type, ...rest } = Object(delta ?? content_block);
      return delta === undefined && content_block !== undefined ? `${index} ${type}` : [index, ...Object.values(rest)];
    });

describe('a chat completion as a message', () => {
  test('has its texts, thinking and calls, and its figures', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 'QUJD' },
      { type: 'redacted_thinking', data: 'REVG' },
    ];
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":12345678901234567890}' } }];
    const answer = answerFromChat(
      completion({ content: 'Hi', reasoning_content: 'Hm.', thinking_blocks, tool_calls }, 'tool_calls'),
    );
    expect(JSON.stringify(answer)).toContain('"input":{"a":12345678901234567890}');
    expect(answer).toMatchObject({
      id: 'msg_run',
      type: 'message',
      role: 'assistant',
      model: 'asked',
      content: [...thinking_blocks, { type: 'text', text: 'Hi' }, { type: 'tool_use', id: 'c', name: 'f' }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 2, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 2 },
    });
  });

  test('has unsigned thinking as a block without a signature', () => {
    expect(answerFromChat(completion({ content: 'Hi', reasoning_content: 'Hm.' })).content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  test.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
  ])('ends with %s as with %s', (reason, stop_reason) => {
    expect(answerFromChat(completion({ content: 'Hi' }, reason))).toMatchObject({ stop_reason });
  });

  test('explains a refusal', () => {
    expect(answerFromChat(completion({ refusal: 'No.' }))).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'No.' },
    });
  });

  test.each([
    ['', {}],
    ['[1]', { arguments: [1] }],
    ['12345678901234567890', { arguments: expect.anything() }],
    ['{"a', { arguments: '{"a' }],
  ])('has an object as tool input, whatever the model wrote: %s', (written, input) => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: written } }];
    expect(answerFromChat(completion({ tool_calls }, 'tool_calls')).content).toMatchObject([{ type: 'tool_use', input }]);
  });

  test('names the content without an equivalent', () => {
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://x.example' } }];
    const said = { content: 'Hi', annotations, vendor_calls: [{ type: 'web_search_call' }] };
    expect(answerFromChat(completion(said, 'stop', { svc_left_out: ['choices.logprobs'] })).svc_left_out).toEqual([
      'choices.logprobs',
      'choices.message.annotations',
      'choices.message.vendor_calls',
    ]);
  });
});

describe('chunks as frames of a message', () => {
  test('form consecutive blocks, with whole calls at the end', () => {
    const frames = framesFrom(
      [
        { role: 'assistant' },
        { reasoning_content: 'Hm.' },
        { content: 'I ' },
        { content: 'look.' },
        call(0, { id: 'call_1', type: 'function', function: { name: 'see', arguments: '{"a":' } }),
        call(1, { id: 'call_2', type: 'function', function: { name: 'go', arguments: '' } }),
        call(0, { function: { arguments: '1}' } }),
      ],
      'tool_calls',
    );
    const told = frames.map(({ type, index, delta, content_block }) => [type, index, Object(delta ?? content_block).type]);
    expect(told).toEqual([
      ['message_start', undefined, undefined],
      ['content_block_start', 0, 'thinking'],
      ['content_block_delta', 0, 'thinking_delta'],
      ['content_block_stop', 0, undefined],
      ['content_block_start', 1, 'text'],
      ['content_block_delta', 1, 'text_delta'],
      ['content_block_delta', 1, 'text_delta'],
      ['content_block_stop', 1, undefined],
      ['content_block_start', 2, 'tool_use'],
      ['content_block_delta', 2, 'input_json_delta'],
      ['content_block_stop', 2, undefined],
      ['content_block_start', 3, 'tool_use'],
      ['content_block_delta', 3, 'input_json_delta'],
      ['content_block_stop', 3, undefined],
      ['message_delta', undefined, undefined],
      ['message_stop', undefined, undefined],
    ]);
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  const SIGNED = { type: 'thinking', thinking: 'Hm. So.', signature: 'QUJD' };
  const REDACTED = { type: 'redacted_thinking', data: 'REVG' };

  test('sign thinking before the block ends, and continue with the next block', () => {
    const deltas = [
      { reasoning_content: 'Hm. ' },
      { reasoning_content: 'So.' },
      { thinking_blocks: [SIGNED] },
      { thinking_blocks: [REDACTED] },
      { reasoning_content: 'And' },
      { thinking_blocks: [{ type: 'thinking', thinking: 'And', signature: 'R0hJ' }] },
      { content: 'Yes.' },
    ];
    expect(blocksOf(deltas)).toEqual([
      '0 thinking',
      [0, 'Hm. '],
      [0, 'So.'],
      [0, 'QUJD'],
      [0],
      '1 redacted_thinking',
      [1],
      '2 thinking',
      [2, 'And'],
      [2, 'R0hJ'],
      [2],
      '3 text',
      [3, 'Yes.'],
      [3],
    ]);
  });

  test('contain text that a guard still held before its signature, and do not repeat it', () => {
    const deltas = [
      { reasoning_content: 'Hm.' },
      { thinking_blocks: [SIGNED] },
      { content: 'Yes.' },
      { reasoning_content: ' So' },
      { reasoning_content: '.' },
    ];
    const expected = ['0 thinking', [0, 'Hm.'], [0, ' So.'], [0, 'QUJD'], [0], '1 text', [1, 'Yes.'], [1]];
    expect(blocksOf(deltas)).toEqual(expected);
  });

  test('contain one text for one signature, even if a guard edited the block in another way', () => {
    const other = { ...SIGNED, thinking: 'Something else' };
    const expected = ['0 thinking', [0, 'Hm.'], [0, 'QUJD'], [0], '1 text', [1, 'Yes.'], [1]];
    expect(blocksOf([{ reasoning_content: 'Hm.' }, { thinking_blocks: [other] }, { content: 'Yes.' }])).toEqual(expected);
  });

  test('keep the texts of two fields separate, because guards read them separately', () => {
    const pieces = [
      { reasoning_content: 'a' },
      { reasoning: 'b' },
      { content: '4111' },
      { content: '1111' },
      { refusal: '1111' },
      { content: 'c', refusal: 'd' },
    ];
    const texts = new Map<unknown, string>();
    for (const { index, delta } of framesFrom(pieces)) {
      const { text, thinking } = Object(delta);
      if (index !== undefined) texts.set(index, (texts.get(index) ?? '') + (text ?? thinking ?? ''));
    }
    expect([...texts.values()]).toEqual(['a', 'b', '41111111', '1111', 'c', 'd']);
  });

  test('are empty if nothing arrived', () => {
    expect(() => new FramesFromChat(null).end()).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  });
});
