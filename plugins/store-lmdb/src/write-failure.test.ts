import { commitSealed, createRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import { nextMessage, startChild } from './children/protocol.ts';
import { openStore, temporaryFolder } from './test-store.ts';

// A limit on file size makes the system refuse a page in the middle of a commit. The limit is odd, so that a page is cut: LMDB then does not format
// the error that overflows its buffer.
test('after a failed commit nothing more is written until the store is opened again', async () => {
  const { folder, remove } = temporaryFolder();
  try {
    const child = startChild(new URL('./children/fill-up.ts', import.meta.url), [folder], 2001);
    const report = await nextMessage(child);
    expect(await child.exit).toBe(0);
    expect(report).toMatchObject({
      outcomes: ['STOPPED', 'committed'],
      later: ['STOPPED', 'STOPPED'],
      unhandled: [],
      lines: [{ level: 'error', fields: { event: 'store_write_failed', reason: expect.stringMatching(/^(EIO|EFBIG)$/) } }],
    });
    expect(report.committed).toBeGreaterThan(0);
    expect(report.readable).toBe(report.committed);

    const store = await openStore(folder);
    expect(await verifiedChain(store)).toHaveLength(Number(report.committed));
    await commitSealed(store, [createRun(sampleRun())]);
    expect(await verifiedChain(store)).toHaveLength(Number(report.committed) + 1);
    await store.close();
  } finally {
    remove();
  }
});
