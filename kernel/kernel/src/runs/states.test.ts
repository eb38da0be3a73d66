import { RUN_STATUSES } from '@svc/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canMove, hasEnded } from './states.ts';

const status = fc.constantFrom(...RUN_STATUSES);

it('an ended status has no transitions, and every other status has one', () => {
  for (const from of RUN_STATUSES) {
    expect(RUN_STATUSES.some((to) => canMove(from, to))).toBe(!hasEnded(from));
  }
  expect(RUN_STATUSES.filter(hasEnded)).toEqual(['completed', 'blocked', 'denied', 'error']);
});

it('a run passes through running before it ends, and pauses only from there', () => {
  fc.assert(
    fc.property(status, status, (from, to) => {
      if (canMove(from, to)) expect(from === 'running' || to === 'running').toBe(true);
    }),
  );
});
