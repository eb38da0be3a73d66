import type { Proofs } from '@svc/runtime';
import { AtOnce } from './at-once.ts';

/** Reads wait in one queue with the signatures, so requests without a key must not fill it. */
const READS_AT_ONCE = 16;

/** The parts of a log that are read without a key. */
export type VisitorsLog = Pick<Proofs, 'tile' | 'checkpoint' | 'cosigned' | 'stamped'>;

/** The log for callers without a key, who share one limit. Its methods throw {SvcError} SVC-LIMIT-003 too. */
export function visitorsLog(log: VisitorsLog): VisitorsLog {
  const turns = new AtOnce(READS_AT_ONCE);
  return {
    tile: (place) => turns.run('', () => log.tile(place)),
    checkpoint: () => turns.run('', () => log.checkpoint()),
    cosigned: () => turns.run('', () => log.cosigned()),
    stamped: () => turns.run('', () => log.stamped()),
  };
}
