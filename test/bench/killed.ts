import { setTimeout as delayed } from 'node:timers/promises';
import { questionFor } from './calls.ts';
import { askedOf } from './load-process.ts';
import type { Options, TargetName } from './options.ts';
import { ask, type Processes, type Started } from './processes.ts';
import type { Target, UpstreamModel } from './target.ts';

/** What a target has recorded of its calls after `kill -9`. */
export interface KilledRow {
  readonly target: TargetName;
  readonly kills: number;
  /** Calls that reached the model. */
  readonly calls: number;
  /** Calls without a record after the restart; null if the target keeps no records. */
  readonly unrecorded: number | null;
}

const CALLERS = 16;
/** An answer takes 200 ms, so that some are always in progress. Every second one is a stream. */
const MODEL: UpstreamModel = 'stream-20-10';
const ANSWER_MS = 200;
/** A kill comes at a random time of up to this many measurements, long enough for logs that are written in batches. */
const LONGEST = 4;

/** Number of calls for which a target may need keys. */
export function callsOf({ seconds, rounds }: Options): number {
  return rounds * (1 + CALLERS * (1 + Math.ceil((LONGEST * seconds * 1000) / ANSWER_MS)));
}

/** Kills each target once per round, under load, and looks for the records of all calls. */
export async function measureKilled(
  targets: readonly Target[],
  upstream: Started,
  processes: Processes,
  options: Options,
): Promise<KilledRow[]> {
  const rows: KilledRow[] = [];
  for (const target of targets) rows.push(await measure(target, upstream, processes, options));
  return rows;
}

async function measure(target: Target, upstream: Started, processes: Processes, options: Options): Promise<KilledRow> {
  const { records, name } = target;
  const { seconds, rounds } = options;
  if (records === null) return { target: name, kills: 0, calls: 0, unrecorded: null };
  const bodies: string[] = [];
  let pid = target.instances[0].pid;
  for (let kill = 0; kill < rounds; kill += 1) {
    await oneCall(target, bodies);
    const callers = Promise.all(Array.from({ length: CALLERS }, () => callUntilKilled(target, bodies)));
    await Promise.race([callers, delayed((1 + Math.random() * (LONGEST - 1)) * seconds * 1000)]);
    await processes.kill(pid);
    await callers;
    pid = await records.restart();
  }
  const calls = await ask<number[]>(upstream, { asked: 'calls' });
  const has = await records.read();
  const unrecorded = calls.filter((call) => !has(call, bodies[call] ?? '')).length;
  return { target: name, kills: rounds, calls: calls.length, unrecorded };
}

/** Sends one call after another until the connection breaks. */
async function callUntilKilled(target: Target, bodies: string[]): Promise<void> {
  try {
    for (;;) await oneCall(target, bodies);
  } catch (error) {
    // fetch throws a TypeError for a broken connection.
    if (!(error instanceof TypeError)) throw error;
  }
}

/**
 * @param bodies the bodies of all calls, by number
 * @throws {Error} unless the status is 200
 */
async function oneCall(target: Target, bodies: string[]): Promise<void> {
  const call = bodies.length;
  const asked = askedOf(target, { model: MODEL, caller: call, stream: call % 2 === 1, more: questionFor(call) });
  bodies.push(asked.body);
  const url = `http://127.0.0.1:${target.instances[0].port}${asked.path}`;
  const answer = await fetch(url, { method: 'POST', headers: asked.headers, body: asked.body });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${target.name}: status ${answer.status}`);
}
