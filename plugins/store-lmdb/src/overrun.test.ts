import { expect, test } from 'vitest';
import { nextMessage, startChild } from './children/protocol.ts';
import { temporaryFolder } from './test-store.ts';

const worded = (position: number, size: number, ...sizes: number[]): string =>
  `No space left on device: Attempting to write page at position ${position}, size ${size}, blocks 3, buffer sizes ${sizes.join(' ')}`;

// The message in the library's wording. The library produces it only by chance: for a short list of buffers, it prints leftovers of its stack.
test.each([
  ['fits into its buffer', worded(4_984_832, 4096, 4096, 4096, 0), 0, false],
  ['is longer than its buffer', worded(4_294_967_295, 1_056_768, 1_052_672, 379_049_616, -1_207_959_552), 1, true],
])('a failed write whose message %s', async (_, message, code, ends) => {
  const { folder, remove } = temporaryFolder();
  const child = startChild(new URL('./children/overrun.ts', import.meta.url), [folder, message]);
  const { codes, ended, lines } = await nextMessage(child);
  expect({ codes, ended, code: await child.exit }).toEqual({ codes: ['STOPPED', 'STOPPED'], ended: ends, code });
  expect(lines).toEqual([
    { level: 'error', fields: { event: 'store_write_failed', reason: 'ENOSPC', ...(ends ? { ends } : {}) } },
  ]);
  remove();
});
