import { JSON_LIMITS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { ChatGatherer } from './gatherer.ts';

const chunk = (choice: object, fields: object = {}) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null, ...choice }],
  ...fields,
});

describe('an answer that is assembled from its chunks', () => {
  it('has the fields of the chunks, with their last values', () => {
    const gatherer = new ChatGatherer();
    gatherer.take(chunk({ of_choice: 1 }, { of_all: 'x' }));
    gatherer.take(chunk({ of_choice: 2 }, { of_all: 'y' }));
    expect(gatherer.answer()).toMatchObject({ of_all: 'y', choices: [{ of_choice: 2, message: { content: 'aa' } }] });
  });

  it('keeps no logprobs, and no message other than its own', () => {
    const gatherer = new ChatGatherer();
    const logprobs = { content: [{ token: 'a', top_logprobs: Array.from({ length: 20 }, () => ({ token: 'a', bytes: [97] })) }] };
    for (let n = 0; n < 3_000; n += 1) gatherer.take(chunk({ logprobs, message: 'a' }));
    expect(gatherer.answer()).toMatchObject({ choices: [{ message: { content: 'a'.repeat(3_000) } }] });
    expect(JSON.stringify(gatherer.answer())).not.toContain('logprobs');
  });

  it('counts each new field once, up to the limit of an answer', () => {
    const gatherer = new ChatGatherer();
    for (let n = 0; n < 50_000; n += 1) gatherer.take(chunk({}, { [`k${n}`]: n }));
    expect(() => {
      for (let n = 0; n < JSON_LIMITS.values; n += 1) gatherer.take(chunk({}, { [`m${n}`]: n }));
    }).toThrow('malformed');
  }, 20_000);
});
