import { readFileSync, write } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { EndOrder } from './watchdog.ts';

const LOOK_EVERY_MS = 1_000;
/** Maximum consecutive checks without a heartbeat. Counted, not timed, so a machine that sleeps or a suspended process is not affected. */
const MAX_MISSED = 15;
/**
 * Minimum processor time of the main thread during these checks. A thread that waits for a slow disk or a debugger, or gets no time on a busy
 * machine, is not in an endless loop.
 */
const MIN_SPENT_MS = 3_000;
/** Processor time is in hundredths of a second. */
const TICK_MS = 10;
const SAYING_MS = 500;

const beats = workerData as Int32Array;
let last = { beat: Atomics.load(beats, 0), missed: 0, spent_ms: mainThreadMs() };

/** Processor time of the main thread. NaN if the system does not report it. */
function mainThreadMs(): number {
  try {
    const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1');
    // The previous field is the name, which may contain anything.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

/** Nothing here may block, because stderr may be a pipe that nobody reads. */
function end(why: string): void {
  const kill = (): void => void process.kill(process.pid, 'SIGKILL');
  setTimeout(kill, SAYING_MS);
  write(2, `svc: ${why}. The process was killed. At the next start its unfinished runs end with status error.\n`, kill);
}

parentPort?.on('message', ({ within_ms }: EndOrder) => {
  setTimeout(end, within_ms, 'shutdown did not finish in time');
});

setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat !== last.beat) last = { beat, missed: 0, spent_ms: mainThreadMs() };
  else {
    last.missed += 1;
    const stuck = last.missed >= MAX_MISSED && mainThreadMs() - last.spent_ms >= MIN_SPENT_MS;
    if (stuck) end('the main thread is in an endless loop');
  }
}, LOOK_EVERY_MS);
