import { expect, it } from 'vitest';
import { compileLimits, holdsOf } from './limits.ts';
import { Calendar } from './period.ts';

it('a limit of a session names its principal to operators, not the session', () => {
  const limits = compileLimits([{ scope: 'session', unit: 'requests', amount: 5, period: 'session' }], new Calendar('UTC'));
  const subject = { node: 'spend', principal_id: 'al', team: null, route: 'chat', session: 'session-4711' };
  const [hold] = holdsOf(limits, subject, { requests: 1, tokens: 1, usd: 1, calls: 1 }, 0);
  expect(hold?.label).toBe('spend/session-requests-session/al');
  expect(JSON.stringify(hold)).not.toContain('4711');
});
