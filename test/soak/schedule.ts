import type { Manner } from './model.ts';

export type FaultName = Exclude<Manner, 'healthy'> | 'kill worker' | 'kill gateway' | 'disk full' | 'reload' | 'receiver away';

export interface Fault {
  readonly name: FaultName;
  /** Seconds since the start of the load. */
  readonly at: number;
  /** Seconds until it is over. */
  readonly lasts: number;
}

const MODEL_FAULTS: readonly FaultName[] = ['slow', 'fails', 'hangs', 'cuts'];
const ENDING_FAULTS: readonly FaultName[] = ['kill worker', 'kill gateway', 'disk full'];
/** A fault begins at the start of each slot, and is over after a third of it. */
const SLOT_S = { least: 4, most: 60 };
const SLOTS = 30;
const SHARE = 1 / 3;
/**
 * The part of the load in which no process ends, so that its memory can be compared. Before and after it, processes are killed and disks fill.
 * Fractions of the whole load.
 */
export const STEADY = { from: 0.25, to: 0.9 };

/** The faults of a load of this many seconds, in order. */
export function scheduleOf(seconds: number, random: () => number): Fault[] {
  const slot = Math.min(SLOT_S.most, Math.max(SLOT_S.least, seconds / SLOTS));
  const lasts = slot * SHARE;
  const faults: Fault[] = [];
  const ending = shuffled(ENDING_FAULTS, random);
  const others = shuffled<FaultName>([...MODEL_FAULTS, 'reload'], random);
  let turn = 0;
  // The last slot is calm.
  for (let at = slot; at + 2 * slot <= seconds; at += slot) {
    const isSteady = at + lasts > seconds * STEADY.from && at < seconds * STEADY.to;
    const names = isSteady ? others : ending;
    faults.push({ name: names[turn++ % names.length] ?? 'slow', at, lasts });
  }
  const away = { name: 'receiver away', lasts: 2 * slot } as const;
  for (const share of [0.15, 0.4, 0.7]) faults.push({ ...away, at: seconds * share });
  return faults.sort((a, b) => a.at - b.at);
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
