import type { Proofs } from '@svc/runtime';
import { AtOnce } from './at-once.ts';

/** Each limit counts the requests of all callers without a key. */
const READS_AT_ONCE = 16;
/** Counted apart: a checkpoint waits for the ledger's signing keys, and the other reads do not. */
const CHECKPOINTS_AT_ONCE = 16;

/** The parts of a log that are read without a key. */
export type VisitorsLog = Pick<Proofs, 'tile' | 'checkpoint' | 'cosigned' | 'stamped'>;

/** The log for callers without a key, who share its limits. Its methods throw {SvcError} SVC-LIMIT-003 too. */
export function visitorsLog(log: VisitorsLog): VisitorsLog {
  const turns = new AtOnce(READS_AT_ONCE);
  const waiting = new AtOnce(CHECKPOINTS_AT_ONCE);
  return {
    tile: (place) => turns.run('', () => log.tile(place)),
    checkpoint: () => waiting.run('', () => log.checkpoint()),
    cosigned: () => turns.run('', () => log.cosigned()),
    stamped: () => turns.run('', () => log.stamped()),
  };
}
