import type { RunRow } from '@svc/contracts';
import { BytesInFlight } from '@svc/kernel/admission';
import { expect, it } from 'vitest';
import { troubledScene } from './test-scene.ts';

async function waiting() {
  const made = troubledScene({ escalate: { after_ms: 20_000, approvers: ['carol'] } });
  Object.assign(made.store, { expireContent: async () => 0 });
  const { row } = await made.start('wait', { approvers: ['bob'] });
  const since = Date.now();
  const stored = (): RunRow | undefined => made.store.rows.get(row.run_id);
  const escalations = () => stored()?.events.filter(({ event_type }) => event_type === 'escalated') ?? [];
  const logged = () => made.warnings.filter((fields) => 'event' in fields && fields.event === 'run_escalated');
  return { ...made, row, since, stored, escalations, logged };
}

it('is recorded once its time has come, and once by two processes', async () => {
  const { runs, restarted, row, since, stored, escalations, escalated, logged } = await waiting();
  const other = restarted(new BytesInFlight(Number.POSITIVE_INFINITY));
  await runs.expire(since + 10_000);
  expect(escalations()).toEqual([]);
  for (let time = 0; time < 2; time += 1) await Promise.all([runs, other].map((each) => each.expire(since + 30_000)));
  expect(stored()).toMatchObject({ status: 'paused', expires_at: row.expires_at });
  const [paused] = row.events.filter(({ event_type }) => event_type === 'paused');
  const { digest, escalation } = Object(paused?.data);
  expect(escalations()).toEqual([
    { event_type: 'escalated', stage: 'approval', node: 'pausing', data: { ...escalation, digest } },
  ]);
  expect(escalated.map(({ run_id, status }) => [run_id, status])).toEqual([[row.run_id, 'paused']]);
  expect(logged()).toEqual([{ event: 'run_escalated', run_id: row.run_id, route: 'default', ...escalation }]);
});

it('leaves a run alone that was decided first', async () => {
  const { runs, row, since, stored } = await waiting();
  const [decided] = await Promise.all([
    runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null }),
    runs.expire(since + 30_000),
  ]);
  expect([decided.row.status, stored()?.status]).toEqual(['completed', 'completed']);
});
