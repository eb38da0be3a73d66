/** The load process. It takes one job at a time from its parent, and returns the result. */
import { type Answer, Connection } from './connection.ts';
import type { Job, Outcome, Seen } from './job.ts';
import { cpuMillis } from './proc.ts';
import { timesOf } from './statistics.ts';

function run(job: Job): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  const { until } = job;
  const requests = job.requests.map((request) => Buffer.from(request));
  const most = 'answers' in until ? until.answers : Number.POSITIVE_INFINITY;
  let sent = job.connections;
  let counted: Answer[] = [];
  let began = performance.now();
  let cpu = cpuOf(job.pids);
  let running = true;

  const finish = () => {
    if (!running) return;
    running = false;
    resolve(summary(counted, performance.now() - began, since(cpu, cpuOf(job.pids))));
  };
  const onAnswer = (answer: Answer): boolean => {
    counted.push(answer);
    if (counted.length >= most) finish();
    sent += 1;
    return running && sent <= most;
  };
  const connections = Array.from({ length: Math.min(job.connections, most) }, (_, at) => {
    const sent = { request: requests[at % requests.length] ?? Buffer.of(), lastEvent: job.last_event };
    return new Connection(job.ports[at % job.ports.length] ?? 0, sent, onAnswer, reject);
  });
  const timers: NodeJS.Timeout[] = [];
  const count = () => {
    counted = [];
    began = performance.now();
    cpu = cpuOf(job.pids);
    if ('ms' in until) timers.push(setTimeout(finish, until.ms));
  };
  if (job.lead_in_ms === 0) count();
  else timers.push(setTimeout(count, job.lead_in_ms));
  return promise.finally(() => {
    for (const timer of timers) clearTimeout(timer);
    for (const connection of connections) connection.close();
  });
}

function summary(answers: readonly Answer[], millis: number, cpu_ms: number | null): Seen {
  return {
    answers: answers.length,
    failures: answers.filter(({ well }) => !well).length,
    seconds: millis / 1000,
    millis: timesOf(answers.map((answer) => answer.millis)),
    first_byte_ms: timesOf(answers.map((answer) => answer.first_byte)),
    frames: answers.reduce((sum, { frames }) => sum + frames, 0),
    cpu_ms,
  };
}

function cpuOf(pids: readonly number[]): number | null {
  const all = pids.map(cpuMillis);
  return all.some((millis) => millis === null) ? null : all.reduce<number>((sum, millis) => sum + (millis ?? 0), 0);
}

function since(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before;
}

process.on('message', async (job: Job) => {
  const outcome: Outcome = await run(job).then(
    (seen) => ({ ok: true, seen }),
    (error: Error) => ({ ok: false, reason: error.message }),
  );
  process.send?.(outcome);
});
process.on('disconnect', () => process.exit());
