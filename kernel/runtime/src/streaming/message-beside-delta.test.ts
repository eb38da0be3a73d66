import type { ChatCompletionChunk } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { call } from './test-live-call.ts';
import { chunkOf, endChunk, lineOf, textChunk, textOf, wordGuard } from './test-parts.ts';

describe('the message so far beside each delta, as Perplexity sends it', () => {
  const said = (content: string, so_far: string, finish_reason: string | null = null): ChatCompletionChunk =>
    chunkOf([
      { index: 0, delta: content === '' ? {} : { content }, finish_reason, message: { role: 'assistant', content: so_far } },
    ]);
  const chunks = [said('a sec', 'a sec'), said('ret', 'a secret'), endChunk()];

  it('reveals nothing of the text that a guard holds back', async () => {
    const { line, run } = await call(() => structuredClone(chunks), [wordGuard('secret', 'sanitize')]);
    expect(JSON.stringify(line.frames)).not.toContain('sec');
    expect(textOf(line.frames)).toBe('a <MASKED>');
    expect(run.events[0]).toMatchObject({ data: { left_out: ['choices.message'] } });
  });

  it('is also named in the stored answer', async () => {
    const { run } = await call(() => structuredClone(chunks), [wordGuard('secret', 'sanitize')], lineOf({ keep: true }));
    expect(run.completion).toMatchObject({
      svc_left_out: ['choices.message'],
      choices: [{ message: { role: 'assistant', content: 'a <MASKED>' } }],
    });
  });

  it('passes if there is no guard', async () => {
    const { line } = await call(() => structuredClone(chunks));
    expect(line.frames.map(({ choices }) => choices)).toEqual(chunks.slice(0, 2).map(({ choices }) => choices));
  });

  it('is checked and passed if it contains the whole answer at the end', async () => {
    const whole = [textChunk('a '), said('', 'my secret', 'stop')];
    const { line } = await call(() => structuredClone(whole), [wordGuard('secret', 'sanitize')]);
    expect(line.tail?.[0]).toMatchObject({ choices: [{ message: { content: 'my <MASKED>' } }] });
  });
});
