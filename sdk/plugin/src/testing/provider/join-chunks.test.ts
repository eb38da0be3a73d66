import type { ChatCompletion } from '@svc/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinChunks } from './join-chunks.ts';
import { chunksOf } from './upstream/behaviours.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const toolCall = fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) });
const message = fc.oneof(
  fc.record({ role: fc.constant('assistant'), content: text }),
  fc.record({ role: fc.constant('assistant'), content: text, tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 3 }) }),
);
const completion = fc.array(message, { minLength: 1, maxLength: 3 }).map(
  (messages): ChatCompletion => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: messages.map((each, index) => ({ index, message: each, finish_reason: 'stop' })),
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  }),
);

test('joining the chunks of an answer gives the answer', () => {
  fc.assert(
    fc.property(completion, (whole) => {
      expect(joinChunks(chunksOf(whole, true))).toEqual(whole);
    }),
  );
});
