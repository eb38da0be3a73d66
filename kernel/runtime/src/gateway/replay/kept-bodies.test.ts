import { type RunRow, SvcError } from '@svc/contracts';
import { protocolsWith } from '@svc/protocols';
import { expect, it } from 'vitest';
import type { ContentVault } from '../../content/vault.ts';
import { type KeptBodies, keptBodies, type LeftOut } from './kept-bodies.ts';

const row = { run_id: 'run-1', status: 'completed' } as RunRow;

/** Keeps the request only. */
function bodiesOf(read: () => string): Promise<KeptBodies | LeftOut> {
  const content: Pick<ContentVault, 'read'> = {
    read: async (_, name) => (name === 'request' ? { bytes: Buffer.from(read()), key: null } : null),
  };
  return keptBodies({ row, events: [] }, { content: content as ContentVault, protocols: protocolsWith([]) });
}

it.each(['', '{"messages": [zebra', '{"svc_protocol": "of.a.plugin"}'])('cannot read %j', async (text) => {
  expect(await bodiesOf(() => text)).toBe('unreadable');
});

it('passes on failures of the store', async () => {
  const fails = () => {
    throw new SvcError('SVC-STORE-001', 'the store failed');
  };
  await expect(bodiesOf(fails)).rejects.toThrow('SVC-STORE-001');
});

it.each([
  [{ input: ['x'], messages: [] }, true],
  [{ input: ['x'] }, true],
  [{ messages: [{ role: 'user', content: 'x' }] }, false],
  [{ input: 'x', messages: [{ role: 'user', content: 'x' }] }, false],
])('%j requests vectors: %s', async (request, is_embedding) => {
  expect(await bodiesOf(() => JSON.stringify(request))).toMatchObject({ is_embedding });
});
