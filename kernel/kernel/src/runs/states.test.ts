import { RUN_STATUSES } from '@svc/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canMove, hasEnded } from './states.ts';

const status = fc.constantFrom(...RUN_STATUSES);

it('has no way out of an ended status, and one out of every other', () => {
  for (const from of RUN_STATUSES) {
    expect(RUN_STATUSES.some((to) => canMove(from, to))).toBe(!hasEnded(from));
  }
  expect(RUN_STATUSES.filter(hasEnded)).toEqual(['completed', 'blocked', 'denied', 'error']);
});

it('passes through running before any other end, and pauses only from there', () => {
  fc.assert(
    fc.property(status, status, (from, to) => {
      if (canMove(from, to)) expect(from === 'running' || to === 'running').toBe(true);
    }),
  );
});
