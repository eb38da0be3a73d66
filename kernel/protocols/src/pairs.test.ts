import type { ChatRequest, RequestBody } from '@svc/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MESSAGES_BRIDGE } from './messages/bridge/bridge.ts';
import { answered, anything, isPlace, marksIn, plain, sayable } from './messages/bridge/test-bodies.ts';
import { framesOfMessage, message } from './messages/test-parts.ts';
import { RESPONSES } from './responses.ts';

/** Law 5 across two bridges: from the Messages API through the chat format to the Responses API, and back. */
const IDENTITY = { id: 'run', created: 7, model: 'asked' };
const ASKED = { model: 'r', include: ['reasoning.encrypted_content'] };
const { bridge, frames } = RESPONSES;
if (bridge === null || frames === null) throw new Error('no bridge');

test('a request that all protocols can express is unchanged after both conversions', () => {
  fc.assert(
    fc.property(sayable, (body) => {
      const chat = MESSAGES_BRIDGE.requestToChat(structuredClone(body) as RequestBody);
      const there = bridge.requestFromChat(chat.body);
      const home = bridge.requestToChat(there.body);
      if (there.lost.length + home.lost.length === 0) expect(MESSAGES_BRIDGE.requestFromChat(home.body).body).toEqual(body);
    }),
  );
});

test('no text of a request is lost silently', () => {
  fc.assert(
    fc.property(anything.map(plain), (body) => {
      const chat = MESSAGES_BRIDGE.requestToChat(structuredClone(body) as RequestBody);
      const there = sent(chat.body);
      if (there === null) return;
      const texts = JSON.stringify(there.body);
      for (const { mark, names } of marksIn(chat.body))
        if (!texts.includes(mark))
          expect(
            there.lost.some((path) => isPlace(path, names)),
            [...names].join(),
          ).toBe(true);
    }),
  );
});

function sent(chat: ChatRequest) {
  try {
    return bridge?.requestFromChat(chat) ?? null;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'unsupported' });
    return null;
  }
}

const SAYS_SOMETHING: readonly string[] = ['text', 'tool_use'];

test('thinking returns to the vendor that made it through a client of the Responses API', () => {
  fc.assert(
    fc.property(answered.map(plain), (blocks) => {
      fc.pre(blocks.some(({ type }) => SAYS_SOMETHING.includes(type)));
      const there = bridge.answerFromChat(MESSAGES_BRIDGE.answerToChat(message(blocks), IDENTITY), ASKED);
      const said = (content: string) => ({ type: 'message', role: 'user', content });
      const input = [said('hi'), ...RESPONSES.turnsOfAnswer(there), said('on')];
      const back = MESSAGES_BRIDGE.requestFromChat(bridge.requestToChat({ ...ASKED, input }).body);
      expect(back.lost).toEqual([]);
      expect(back.body.messages).toMatchObject([{}, { role: 'assistant', content: blocks }, {}]);
    }),
  );
});

test('an answer is the same whole and streamed', () => {
  fc.assert(
    fc.property(answered.map(plain), fc.integer({ min: 1, max: 5 }), (blocks, size) => {
      const whole = message(blocks, { stop_reason: blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn' });
      const toChat = MESSAGES_BRIDGE.framesToChat(IDENTITY);
      const fromChat = bridge.framesFromChat(ASKED);
      const gatherer = frames.gatherer();
      const chunks = [...framesOfMessage(whole, size).flatMap((frame) => toChat.take(frame)), ...toChat.end()];
      for (const frame of [...chunks.flatMap((chunk) => fromChat.take(chunk)), ...fromChat.end()]) gatherer.take(frame);
      const once = bridge.answerFromChat(MESSAGES_BRIDGE.answerToChat(whole, IDENTITY), ASKED);
      expect(withoutIds(gatherer.answer().output)).toEqual(withoutIds(once.output));
    }),
  );
});

function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, member: unknown) => (name === 'id' ? undefined : member)));
}
