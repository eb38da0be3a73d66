import { expect, it } from 'vitest';
import { troubledScene as scene } from './test-scene.ts';

const LONG_AFTER = 8_000_000_000_000;

it.each(['kept', 'gone'])('a pause whose content is %s ends as denied when its time is over', async (content) => {
  const { start, store, runs } = scene();
  Object.assign(store, { expireContent: async () => 0 });
  const { row } = await start('wait');
  expect(row.status).toBe('paused');
  if (content === 'gone') await store.eraseContent(row.run_id);
  await runs.expire(LONG_AFTER);
  const { row: ended, events } = await runs.stored.read(row.run_id);
  expect(ended).toMatchObject({ status: 'denied', evidence: { seq: 1 } });
  expect(events).toContainEqual(expect.objectContaining({ event_type: 'expired', node: 'pausing' }));
});
