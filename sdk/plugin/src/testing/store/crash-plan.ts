import type { RunRow } from '@svc/contracts';
import { at, item, sampleRun } from './builders.ts';

/** Number of concurrent callers in a process that will be killed. */
export const CALLERS = 16;
/** A counter that every reservation includes, in addition to one of its own. */
export const TOTAL = 'total';

/** The nth call of a caller. Both the process and the later check of the store can compute it. */
export interface Call {
  readonly id: string;
  readonly caller: number;
  readonly n: number;
  /** Reserved before the run, and spent after the run has ended. */
  readonly held: number;
  readonly spent: number;
}

/** @param process name of the killed process */
export function callOf(process: string, caller: number, n: number): Call {
  const held = 2 + ((caller * 7 + n * 3) % 50);
  return { id: `${process}/${caller}/${n}`, caller, n, held, spent: held >> 1 };
}

/** The run of a call, as it begins. */
export function runOfCall({ id, caller, n }: Call): RunRow {
  return sampleRun({ run_id: id, created_at: at(n), route: `route-${caller % 3}`, principal_id: `caller-${caller % 5}` });
}

export const payloadOf = ({ id }: Call) => item('payload', `payload of ${id}`);
export const responseOf = ({ id }: Call) => item('response', `response of ${id}`);

/** The reports of a process on what is durable, as lines of JSON. */
export type Said =
  | { readonly said: 'began'; readonly process: string }
  | { readonly said: 'created'; readonly caller: number; readonly n: number }
  | { readonly said: 'ended'; readonly caller: number; readonly n: number; readonly seq: number; readonly hash: string }
  | { readonly said: 'moved'; readonly cursor: number }
  /** How many of the items to load were read. */
  | { readonly said: 'took'; readonly items: number }
  | { readonly said: 'loaded' };

/** How many runs with evidence and content a process loads. */
export const LOADED_RUNS = 2000;
