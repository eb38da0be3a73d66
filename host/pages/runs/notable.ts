import { stepOf, type TrailEvent } from '../../src/trail/step.ts';
import type { Label } from '../../src/trail/words.ts';

/** What a reader of a list wants to know of a run's guards: who did something, what, and why. */
export interface Notable {
  readonly node: string;
  readonly label: Label;
  readonly note: string;
}

/** Every verdict that changed or stopped the run, once for each guard and result, and what failed. */
export function notablesOf(events: readonly TrailEvent[]): readonly Notable[] {
  const found = new Map<string, Notable>();
  for (const event of events) {
    const isVerdict = event.event_type === 'verdict' && event.data.verdict !== 'allow';
    if (!isVerdict && event.event_type !== 'error') continue;
    const { label, note } = stepOf(event);
    if (label === null) continue;
    const key = JSON.stringify([event.node, label, note]);
    found.set(key, { node: event.node, label, note });
  }
  return [...found.values()];
}
