import type { ChatRequest } from '@svc/contracts';
import { expect, it } from 'vitest';
import { TokenQuestions } from './token-questions.ts';

const HERE = new AbortController().signal;
const asking = (content: string): ChatRequest => ({ model: 'm', messages: [{ role: 'user', content }] });

/** A counter that answers on demand, and records how many texts it has at a time. */
function slowCounter() {
  const waiting: (() => void)[] = [];
  const state = { most: 0, all: 0, lengths: [] as number[] };
  const count = async (texts: readonly string[]): Promise<readonly number[]> => {
    state.all += 1;
    state.lengths.push(...texts.map(({ length }) => length));
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      state.most = Math.max(state.most, waiting.length);
    });
    return texts.map(() => 1);
  };
  return { state, count, next: () => waiting.shift()?.() };
}

it('counts one text per step, so that a run waits for at most one text', async () => {
  const { state, count, next } = slowCounter();
  const questions = new TokenQuestions(count);
  const asked = ['alice', 'bob'].flatMap((name) => [1, 2, 3].map(() => questions.answer(asking('hello'), name, HERE)));
  let answered = 0;
  for (const one of asked) void one.then(() => (answered += 1));
  while (answered < asked.length) {
    next();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(state).toMatchObject({ most: 1, all: 6 });
});

it('refuses requests that would wait too long, for one principal and for all together', async () => {
  const { count } = slowCounter();
  const questions = new TokenQuestions(count);
  const ask = (name: string) => questions.answer(asking('hello'), name, HERE);
  for (let n = 0; n < 8; n += 1) void ask('alice');
  await expect(ask('alice')).rejects.toMatchObject({ code: 'SVC-LIMIT-003' });
  for (let n = 0; n < 56; n += 1) void ask(`p${n}`);
  await expect(ask('bob')).rejects.toMatchObject({ code: 'SVC-BUSY-001' });
});

it('counts nothing for a disconnected caller', async () => {
  const { state, count } = slowCounter();
  await expect(new TokenQuestions(count).answer(asking('hello'), 'alice', AbortSignal.abort())).rejects.toThrow();
  expect(state.all).toBe(0);
});

it('counts only the beginning of a long text, and no thinking', async () => {
  const lengths: number[] = [];
  const questions = new TokenQuestions(async (texts) => {
    lengths.push(...texts.map(({ length }) => length));
    return [1_000];
  });
  expect(await questions.answer(asking('x'.repeat(320_000)), 'alice', HERE)).toBeGreaterThanOrEqual(10_000);
  expect(lengths).toEqual([32_000]);
  const thought = { role: 'assistant', content: 'yes', thinking_blocks: [{ type: 'thinking', thinking: 'x'.repeat(9_000) }] };
  await questions.answer({ model: 'm', messages: [thought] }, 'alice', HERE);
  expect(lengths[1]).toBeLessThan(100);
});
