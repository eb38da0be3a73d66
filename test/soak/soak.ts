import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delayed } from 'node:timers/promises';
import { random } from '@svc/sdk/testing';
import { Machine, whyNoMachine } from '../fault/machine/machine.ts';
import { TestGateway } from '../harness/gateway.ts';
import { lawsOfAnswers } from './answer-laws.ts';
import { configuration, PRINCIPALS } from './config.ts';
import { lawsOfCounters } from './counter-laws.ts';
import { Faults, stopInTime } from './faults.ts';
import { lawsOfGrowth } from './growth-laws.ts';
import { type Law, law } from './law.ts';
import { LedgerSums } from './ledger.ts';
import { Load, type Sample } from './load.ts';
import { Model } from './model.ts';
import type { Options } from './options.ts';
import { Receiver } from './receiver.ts';
import { lawsOfFolder, lawsOfRecords, lawsOfSettled } from './record-laws.ts';
import { type Held, heldBy } from './samples.ts';
import { type FaultName, STEADY, scheduleOf } from './schedule.ts';

/** Measurements of the steady part. */
const SAMPLES = 120;

export interface Outcome {
  readonly laws: readonly Law[];
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  readonly samples: readonly Sample[];
  readonly held: readonly Held[];
  readonly runs: number;
  /** Size of the runs-db at the end. */
  readonly bytes: number;
  /** Why no disk failed; null if one did. */
  readonly no_disk: string | null;
}

/** Sends load to a gateway and makes faults, for the given time. Then checks all laws. */
export async function soak({ seconds, rate, seed }: Options, folder: string, log: (text: string) => void): Promise<Outcome> {
  const [runsDb, temporary] = [join(folder, 'runs-db'), join(folder, 'tmp')];
  for (const each of [runsDb, temporary]) mkdirSync(each);
  const no_disk = whyNoMachine();
  const machine = no_disk === null ? new Machine(join(runsDb, 'data.mdb')) : null;
  const model = await new Model(random(seed + 1)).listen();
  const receiver = await new Receiver().listen();
  const gateway = await TestGateway.start({
    config: configuration(model.origin, receiver.origin),
    principals: PRINCIPALS,
    args: ['--runs-db', runsDb],
    // Nobody reads the log of writes, which would grow without end.
    env: { ...machine?.env, SVC_MACHINE_LOG: '/dev/null', TMPDIR: temporary },
  });
  try {
    const scene = { gateway, model, receiver, machine };
    const load = new Load(gateway, random(seed + 2));
    const faults = new Faults(scene);
    const held: Held[] = [];
    await Promise.all([
      sendAll(load, seconds, rate),
      makeAll(faults, scheduleOf(seconds, random(seed)), log),
      measureAll(held, seconds, () => heldBy(gateway.pid, seconds, { runsDb, temporary })),
    ]);
    await load.finished();
    log(`${load.samples.length} requests answered; checking the records`);
    const laws = [...lawsOfAnswers(load, faults), ...(await lawsOfSettled(gateway))];
    const sums = await LedgerSums.read(gateway);
    laws.push(...lawsOfRecords(scene, load, sums), ...(await lawsOfCounters(gateway, sums)));
    const code = await stopInTime(gateway).catch(() => null);
    laws.push(...(await lawsOfFolder(runsDb, code)), ...lawsOfGrowth(held, load.samples, seconds), lawOfLog(gateway.output));
    return {
      laws,
      faults: Object.fromEntries(faults.made),
      samples: load.samples,
      held,
      runs: sums.runs.size,
      bytes: statSync(join(runsDb, 'data.mdb')).size,
      no_disk,
    };
  } finally {
    writeFileSync(join(folder, 'gateway.log'), gateway.output);
    await gateway.dispose();
    await Promise.all([model.close(), receiver.close()]);
    machine?.dispose();
  }
}

/** Resolves at a time of the monotonic clock, at once if it is past. */
async function reached(at: number): Promise<void> {
  await delayed(Math.max(0, at - performance.now()));
}

async function sendAll(load: Load, seconds: number, rate: number): Promise<void> {
  const began = performance.now();
  for (let sent = 0; sent < seconds * rate; sent += 1) {
    await reached(began + (sent * 1_000) / rate);
    load.send();
  }
}

async function makeAll(faults: Faults, schedule: ReturnType<typeof scheduleOf>, log: (text: string) => void): Promise<void> {
  const began = performance.now();
  // The receiver is away while other faults happen. All others happen one after another.
  const lanes = Map.groupBy(schedule, ({ name }) => name === 'receiver away').values();
  const make = async (lane: typeof schedule): Promise<void> => {
    for (const fault of lane) {
      await reached(began + fault.at * 1_000);
      log(`${Math.round(fault.at)} s: ${fault.name}`);
      await faults.make(fault);
    }
  };
  await Promise.all(Array.from(lanes, make));
}

/** Measures in the steady part, in which no process ends. */
async function measureAll(held: Held[], seconds: number, measure: () => Held | null): Promise<void> {
  const began = performance.now();
  for (let n = 0; n < SAMPLES; n += 1) {
    const at = seconds * (STEADY.from + ((STEADY.to - STEADY.from) * (n + 0.5)) / SAMPLES);
    await reached(began + at * 1_000);
    const now = measure();
    if (now !== null) held.push({ ...now, at });
  }
}

/** Log events of a bug. */
const BUGS = /"event":"(internal_error|unhandled_rejection|ledger_broken|store_damaged|run_failed)"/g;

function lawOfLog(output: string): Law {
  const found = [...output.matchAll(BUGS)].map(([, event]) => event);
  return law('the log reports no bug', found.length === 0, `${found.length} events`, [...new Set(found)].map(String));
}
