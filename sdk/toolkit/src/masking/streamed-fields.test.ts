import { expect, it } from 'vitest';
import { isCheckedLast, isStreamed } from './streamed-fields.ts';

it.each<[path: string, isStreamedField: boolean, isLast: boolean]>([
  ['choices.0.message.content', true, false],
  ['choices.0.message.thinking_blocks.1.thinking', true, false],
  ['choices.0.message.tool_calls.0.function.arguments.0', false, true],
  ['content.0.text', true, false],
  ['content.0.thinking', true, false],
  ['content.1.input.0', false, false],
  ['output.0.content.0.text', true, false],
  ['output.0.content.1.refusal', true, false],
  ['output.0.summary.0.text', true, false],
  ['output.1.arguments.0', false, false],
  ['messages.0.content', false, false],
])('%s', (path, streamed, last) => {
  expect([isStreamed(path), isCheckedLast(path)]).toEqual([streamed, last]);
});
