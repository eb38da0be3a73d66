import { stepOf, type TrailEvent } from '../../src/trail/step.ts';
import { text } from '../../src/trail/values.ts';
import type { Label } from '../../src/trail/words.ts';

/** The notable part of a run for a list: what was done, by whom, and why. */
export interface Notable {
  readonly label: Label;
  readonly note: string;
}

/** Each verdict that changed or stopped the run, each decision and each error; repetitions once. */
export function notablesOf(events: readonly TrailEvent[]): readonly Notable[] {
  const found = events.map(notableOf).filter((notable) => notable !== null);
  return [...new Map(found.map((notable) => [JSON.stringify(notable), notable])).values()];
}

function notableOf(event: TrailEvent): Notable | null {
  const { event_type, node, data } = event;
  const { label, note } = stepOf(event);
  if (label === null) return null;
  switch (event_type) {
    case 'verdict':
      return data.verdict === 'allow' ? null : { label, note: note === '' ? node : `${node}: ${note}` };
    case 'decision':
      return { label, note: text(data.principal_id) };
    case 'error':
      return { label, note: node };
    default:
      return null;
  }
}
