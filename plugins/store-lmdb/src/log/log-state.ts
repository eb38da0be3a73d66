import { StoreError } from '@svc/sdk/store';
import type { RootDatabase } from 'lmdb';
import { type Frame, framesIn, type Generation, generationIn } from './frames.ts';

/** What `data.mdb` stores about the log. */
export interface LogState extends Generation {
  /** Number of the last frame whose rows and records are in `data.mdb`. */
  readonly applied: number;
  /** False after an orderly shutdown: `data.mdb` has everything, and the log may be missing. */
  readonly is_open: boolean;
}

type Root = RootDatabase<string, string>;

const KEY = 'log';

/** Null in a folder with an older schema. */
export function readLogState(env: Root): LogState | null {
  const text = env.get(KEY);
  return text === undefined ? null : JSON.parse(text);
}

/** Call it inside a write. */
export function putLogState(env: Root, state: LogState): void {
  env.put(KEY, JSON.stringify(state));
}

/**
 * The frames that belong to a `data.mdb`: those since the restart that its state names.
 * @param log null: there is no such file
 * @throws {StoreError} `DAMAGED` if an acknowledged frame is missing, or the log belongs to another folder
 */
export function framesFor(state: LogState, log: Buffer | null, folder: string): readonly Frame[] {
  const damaged = (what: string): StoreError =>
    new StoreError(
      'DAMAGED',
      `${folder}: ${what}: restore data.mdb and commits.log from the same point in time, or restore a backup`,
    );
  if (log === null || log.length === 0) {
    if (state.is_open) throw damaged('commits.log is missing and may contain runs that are not in data.mdb');
    return [];
  }
  const found = generationIn(log);
  if (found !== null && found.id !== state.id) throw damaged('commits.log belongs to another folder');
  if (found !== null && found.base > state.base) throw damaged('data.mdb is older than commits.log');
  const { frames, is_broken } = framesIn(log, state);
  if (is_broken) throw damaged('commits.log is damaged');
  if (state.base + frames.length < state.applied) throw damaged('commits.log is older than data.mdb, or was truncated');
  return frames;
}
