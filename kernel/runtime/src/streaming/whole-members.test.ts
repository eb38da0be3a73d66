import type { ChatChunkChoice, ChatCompletionChunk } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { call } from './test-live-call.ts';
import { chunkOf, endChunk, textChunk, wordGuard } from './test-parts.ts';

const URL = `data:image/png;base64,${'QUJD'.repeat(10)}`;
const said = (delta: ChatChunkChoice['delta']): ChatCompletionChunk => chunkOf([{ index: 0, delta, finish_reason: null }]);

async function deltas(...chunks: ChatCompletionChunk[]) {
  const { line, run } = await call(() => structuredClone([...chunks, endChunk()]), [wordGuard('secret', 'sanitize')]);
  return { run, deltas: line.frames.map(({ choices }) => choices[0]?.delta) };
}

describe('members that arrive whole are sent whole, even with a guard that holds back ends of texts', () => {
  it.each([
    ['images', [{ type: 'image_url', image_url: { url: URL } }]],
    ['executed_tools', [{ index: 0, type: 'search', arguments: '{"q":"weather"}', output: 'sunny' }]],
    ['context', { citations: [{ title: 'A title', content: 'A document', url: 'https://x.org' }], intent: '["who"]' }],
  ])('%s', async (name, value) => {
    expect((await deltas(said({ [name]: value }))).deltas).toEqual([{ [name]: value }]);
  });

  it('and is checked', async () => {
    const { deltas: left } = await deltas(said({ context: { citations: [{ content: 'my secret' }] } }));
    expect(left).toEqual([{ context: { citations: [{ content: 'my <MASKED>' }] } }]);
  });

  it('an image is not read as text', async () => {
    const { run } = await deltas(said({ images: [{ type: 'image_url', image_url: { url: URL } }] }));
    expect(run.events.at(-1)).toMatchObject({ data: { scanned: { characters: 0, skipped: [{ why: 'image' }] } } });
  });
});

it('held-back text of a reasoning detail is sent with its format', async () => {
  const detail = (fields: object) =>
    said({ reasoning_details: [{ type: 'reasoning.text', format: 'unknown', index: 0, ...fields }] });
  const { deltas: left } = await deltas(detail({ text: 'why not' }), detail({ signature: 'QUJD' }), textChunk('so'));
  const details = left.flatMap((delta) => delta?.reasoning_details ?? []) as Record<string, unknown>[];
  expect(details.map(({ text }) => text ?? '').join('')).toBe('why not');
  expect(details.filter(({ signature }) => signature !== undefined)).toHaveLength(1);
  expect(details.every(({ format, type, index }) => type === 'reasoning.text' && index === 0 && format !== '')).toBe(true);
});

it('an unknown member is sent as received, and checked as clients join it', async () => {
  const pieces = [said({ novel: { status: 'searching', n: 1 } }), said({ novel: { status: 'done', n: 2, text: 'my sec' } })];
  expect((await deltas(...pieces, textChunk('hello'))).deltas).toEqual([
    { content: 'hello' },
    ...pieces.map(({ choices }) => choices[0]?.delta),
  ]);
  const { deltas: masked } = await deltas(...pieces, said({ novel: { text: 'ret' } }));
  expect(masked).toEqual([{ novel: { status: 'searchingdone', n: [1, 2], text: 'my <MASKED>' } }]);
});
