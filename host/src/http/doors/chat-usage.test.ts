import type { AnswerFrame, ChatRequest } from '@svc/contracts';
import { expect, it } from 'vitest';
import { readChat } from './chat.ts';
import { NOTHING } from './test-outcome.ts';

const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const chunk = (choices: object[], fields: object = {}): AnswerFrame => ({ object: 'chat.completion.chunk', choices, ...fields });
const TAIL = [chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], { usage: USAGE }), chunk([], { usage: USAGE })];

/** The last frames for a caller that did, or did not, ask for usage. */
function ending(include_usage: boolean): AnswerFrame[] {
  const request = { model: 'r', messages: [], stream_options: { include_usage } } as ChatRequest;
  const { writer } = readChat(request, { vendor_tools: [] });
  const texts = [...writer.end({ ...NOTHING, tail: TAIL }, { field: 'content', origin: '' })];
  expect(texts.at(-1)).toBe('data: [DONE]\n\n');
  return texts.slice(0, -1).map((text) => JSON.parse(text.slice('data: '.length)));
}

it('reports usage once if an upstream sends it twice', () => {
  expect(ending(true).map(({ usage }) => usage)).toEqual([null, USAGE]);
});

it('does not report usage that the caller did not request', () => {
  const frames = ending(false);
  expect(frames).toHaveLength(1);
  expect(frames[0]).not.toHaveProperty('usage');
});
