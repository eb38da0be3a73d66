import type { AnswerFrame, ChatCompletion, ChatRequest, RequestBody } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MESSAGES } from '../../messages.ts';
import { framesOfMessage, message } from '../test-parts.ts';
import { MESSAGES_BRIDGE } from './bridge.ts';
import { answered, anything, isPlace, list, marked, marksIn, plain, said, sayable } from './test-bodies.ts';

/** Law 5: converted there and back, a body is the same except for fields reported as lost, and nothing is lost without being reported. */
const IDENTITY = { id: 'run', created: 7, model: 'asked' };

test('a request that both formats can express is unchanged after both conversions, and nothing is named as lost', () => {
  fc.assert(
    fc.property(sayable, (body) => {
      const chat = MESSAGES_BRIDGE.requestToChat(structuredClone(body) as RequestBody);
      const back = MESSAGES_BRIDGE.requestFromChat(chat.body);
      expect([back.body, chat.lost, back.lost]).toEqual([body, [], []]);
    }),
  );
});

test('the same holds in the other direction, from the chat format', () => {
  fc.assert(
    fc.property(sayable, (body) => {
      const { body: chat } = MESSAGES_BRIDGE.requestToChat(body as RequestBody);
      const there = MESSAGES_BRIDGE.requestFromChat(plain(chat) as ChatRequest);
      expect(MESSAGES_BRIDGE.requestToChat(there.body).body).toEqual(plain(chat));
    }),
  );
});

test('thinking of a vendor of the chat format returns to it unchanged through a client of the Messages API', () => {
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

test('no text of a request is lost silently: it is converted, or its place is named', () => {
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

/** Null: the API cannot express any of it. */
function returned(chat: ChatRequest) {
  try {
    return MESSAGES_BRIDGE.requestFromChat(chat);
  } catch (error) {
    expect(error).toMatchObject({ kind: 'unsupported' });
    return null;
  }
}

describe('an answer', () => {
  test('that both formats can express is unchanged after both conversions', () => {
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

  test('is the same whole and streamed, in both directions, however it is cut', () => {
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

  test('names the content without an equivalent in the chat format', () => {
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
