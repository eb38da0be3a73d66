import { expect, it } from 'vitest';
import { frames } from './sse.ts';

function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

async function all(bytes: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const read = [];
  for await (const frame of frames(bytes)) read.push(frame);
  return read;
}

const text = new TextEncoder().encode(
  ': keep-alive\n\ndata: {"a":"ü"}\n\n: remark\ndata:{"b":2}\r\n\ndata: [DONE]\n\ndata: {"c":3}\n\n',
);

it.each([1, 2, 3, 7, 1000])('reads frames in pieces of %i bytes, up to [DONE]', async (size) => {
  const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
  expect(await all(streamOf(parts))).toEqual([{ a: 'ü' }, { b: 2 }]);
});

it('does not treat a truncated stream as complete', async () => {
  await expect(all(streamOf([text.slice(0, 20)]))).rejects.toThrow('before the answer was complete');
});
