import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median, percentile } from '../bench/statistics.ts';
import { MAIN } from '../harness/gateway.ts';
import { BUDGET, DEFAULT_OUTPUT_TOKENS, EXPIRE_S, PRICE } from './config.ts';
import { type Faults, type Scene, until } from './faults.ts';
import { LedgerSums } from './ledger.ts';
import type { Load, Sample } from './load.ts';
import type { Held } from './samples.ts';
import { STEADY } from './schedule.ts';

export interface Law {
  readonly law: string;
  readonly holds: boolean;
  readonly figures: string;
}

/** Upper bound of what a call with an unknown cost has reserved: its output, and one token for 2 bytes of its texts. */
const RESERVED_INPUT = 400;
const RESERVED_TOKENS = DEFAULT_OUTPUT_TOKENS + RESERVED_INPUT;
/** Ratios of the last third of the steady part to its first third, and what may be added to it. */
const GROWTH = { anonymous_mb: [1.25, 30], descriptors: [1.1, 5], readers: [1.1, 4], files: [1.1, 5] } as const;
const SLOWER = { ratio: 2, more_ms: 20 };
/** After a fault, a provider may be skipped for a while. */
const GRACE_MS = 15_000;
/** Faults to show of each law. */
const SHOWN = 5;

const law = (text: string, holds: boolean, figures: string): Law => ({ law: text, holds, figures });
const few = (faults: readonly string[]): string => (faults.length === 0 ? '' : `; ${faults.slice(0, SHOWN).join('; ')}`);

/** What must hold of the answers that clients got, while the gateway ran. */
export function lawsOfAnswers({ samples, kept, began }: Load, faults: Faults): Law[] {
  const isCalm = ({ at, ms }: Sample): boolean =>
    faults.windows.every(({ from, to }) => began + at * 1_000 > to + GRACE_MS || began + at * 1_000 + ms < from);
  const unexplained = samples.filter((sample) => sample.result !== 'answered' && isCalm(sample));
  const places = unexplained.map(({ kind, at, result }) => `${kind} at ${Math.round(at)} s: ${result}`);
  const wrong = samples.flatMap(({ fault }) => fault ?? []);
  const hung = samples.filter(({ result }) => result === 'hung').length;
  return [
    law('every request gets its answer or an error with a code', wrong.length === 0, `${samples.length} requests, ${wrong.length} others${few(wrong)}`),
    law('a request fails only because of a fault', unexplained.length === 0, `${unexplained.length} others${few(places)}`),
    law('no request waits longer than its limit', hung === 0, `${hung} of ${samples.length}`),
    law('a repeated idempotency key gets one run', kept.twice.length === 0, `${kept.twice.length} keys with several runs`),
    law('the gateway recovers from each fault', faults.failures.length === 0, `${[...faults.made.values()].reduce((a, b) => a + b, 0)} faults${few(faults.failures)}`),
  ];
}

/** Waits until nothing is in progress, and compares everything that counts with the ledger. */
export async function lawsOfRecords({ gateway, model, receiver }: Scene, load: Load): Promise<{ laws: Law[]; sums: LedgerSums }> {
  const laws: Law[] = [];
  const settled = await fails(async () => {
    for (const status of ['running', 'pending', 'paused']) {
      const path = `/v1/audit?limit=1&status=${status}`;
      const none = async () => (await gateway.get(path, 'auditor')).body.runs.length === 0;
      await until(`the last ${status} run`, none, 1_000 * (EXPIRE_S + 60));
    }
  });
  laws.push(law('every run ends or expires', settled === null, settled ?? 'none in progress'));
  const exported = await fails(() =>
    until('the exporter', async () => (await gateway.get('/v1/operations/exporters', 'auditor')).body.exporters[0].lag_records === 0),
  );
  const sums = await LedgerSums.read(gateway);
  const missing = sums.hashes.findIndex((hash, seq) => seq > 0 && receiver.hashes[seq] !== hash);
  laws.push(
    law(
      'the exporter delivered every record, in order',
      exported === null && missing < 0 && receiver.faults.length === 0 && receiver.hashes.length === sums.hashes.length,
      `${receiver.hashes.length - 1} of ${sums.hashes.length - 1}, ${receiver.repeated} repeated${few([...(exported === null ? [] : [exported]), ...receiver.faults])}`,
    ),
  );
  const lost = load.receipts.filter(({ run_id, evidence }) => sums.runs.get(run_id)?.evidence !== evidence);
  laws.push(law('every answer with evidence is recorded', lost.length === 0, `${load.receipts.length} answers, ${lost.length} missing`));
  const unended = load.kept.background.filter((run) => !sums.runs.has(run));
  laws.push(law('every accepted background run ended', unended.length === 0, `${load.kept.background.length} runs, ${unended.length} missing`));
  laws.push(law('every run has one record', sums.doubled.length === 0, `${sums.runs.size} runs, ${sums.doubled.length} with several`));
  const { calls, unknown } = sums.all;
  laws.push(law('every call of the model is recorded', model.calls <= calls + unknown, `${model.calls} calls at the model, ${calls} known and ${unknown} unknown in the ledger`));
  laws.push(...(await lawsOfCounters(gateway, sums)));
  return { laws, sums };
}

async function lawsOfCounters(gateway: Scene['gateway'], { statuses, all, budgeted }: LedgerSums): Promise<Law[]> {
  const report = (await gateway.get('/v1/audit/report', 'auditor')).body.run_stats as Record<string, number>;
  const differing = Object.entries(report).filter(([status, count]) => count !== (statuses[status] ?? 0));
  const groups = (await gateway.get('/v1/usage?group_by=route', 'auditor')).body.groups as Record<string, number>[];
  const sum = (field: string): number => groups.reduce((total, group) => total + (group[field] ?? 0), 0);
  const tokens = sum('input_tokens') + sum('output_tokens');
  const usage = `${tokens} and ${all.tokens} tokens, ${Math.round(sum('usd') * 1e6)} and ${all.micro_usd} micro-dollars`;
  const isSame = tokens === all.tokens && Math.abs(sum('usd') * 1e6 - all.micro_usd) < 1;
  return [
    law('the report counts the runs of the ledger', differing.length === 0, JSON.stringify(report)),
    law('the usage is that of the ledger', isSame, usage),
    ...(await lawsOfBudgets(gateway, budgeted)),
  ];
}

/** What a budget has used is what the ledger has, and at most the reservations of calls with an unknown cost more. */
async function lawsOfBudgets(gateway: Scene['gateway'], { tokens, micro_usd, calls, unknown }: LedgerSums['budgeted']): Promise<Law[]> {
  const { text } = await gateway.get('/metrics', null);
  const reserved_usd = (RESERVED_TOKENS * Math.max(PRICE.input, PRICE.output)) / 1e6;
  const expected = {
    tokens: [tokens, RESERVED_TOKENS],
    usd: [micro_usd / 1e6, reserved_usd],
    calls: [calls, 1],
  } as const;
  return Object.entries(expected).map(([unit, [booked, reserved]]) => {
    const ratio = new RegExp(`^svc_budget_used_ratio\\{budget="budget/global-${unit}-month"[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1];
    const used = Number(ratio) * BUDGET[unit as keyof typeof BUDGET];
    const close = 1e-6 * Math.max(1, booked);
    const isSo = used >= booked - close && used <= booked + unknown * reserved + close;
    return law(`the budget of ${unit} is what was used`, isSo, `${round(used)} used, ${round(booked)} in the ledger, ${unknown} calls unknown`);
  });
}

/** What must hold of a gateway that has been stopped. */
export async function lawOfFolder(runsDb: string, code: number | null): Promise<Law[]> {
  const began = performance.now();
  const args = [MAIN, 'ledger', 'verify', runsDb, '--json'];
  // Exit code 3: valid, but no key is given to check the signature with.
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
  const seconds = (performance.now() - began) / 1000;
  const { records, fault } = JSON.parse(stdout) as { records: number; fault: unknown };
  return [
    law('the gateway stops in order', code === 0, `exit code ${code}`),
    law('svc ledger verify finds the ledger intact', fault === null, `${records} records in ${round(seconds)} s`),
  ];
}

/** Compares the first and last third of the part in which no process ended. */
export function lawsOfGrowth(held: readonly Held[], samples: readonly Sample[], seconds: number): Law[] {
  const [first, last] = [thirdOf(held, seconds, 0), thirdOf(held, seconds, 2)];
  const laws = Object.entries(GROWTH).map(([name, [ratio, more]]) => {
    const [before, after] = [first, last].map((third) => median(third.map((one) => one[name as keyof Held]))) as [number, number];
    const isSo = after <= before * ratio + more;
    return law(`${name} does not grow beyond ×${ratio} + ${more}`, isSo, `${round(before)} → ${round(after)}`);
  });
  const chats = samples.filter(({ kind, result }) => kind === 'chat' && result === 'answered');
  const [early, late] = [0, 2].map((n) => timesOf(thirdOf(chats, seconds, n))) as [Times, Times];
  const isSo = late.p50 <= early.p50 * SLOWER.ratio + SLOWER.more_ms;
  const figures = `p50 ${round(early.p50)} → ${round(late.p50)} ms, p99 ${round(early.p99)} → ${round(late.p99)} ms`;
  return [...laws, law(`p50 of chats does not grow beyond ×${SLOWER.ratio} + ${SLOWER.more_ms} ms`, isSo, figures)];
}

interface Times {
  readonly p50: number;
  readonly p99: number;
}

function timesOf(samples: readonly Sample[]): Times {
  const ascending = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  return { p50: percentile(ascending, 0.5), p99: percentile(ascending, 0.99) };
}

function thirdOf<T extends { readonly at: number }>(all: readonly T[], seconds: number, third: number): T[] {
  const part = (seconds * (STEADY.to - STEADY.from)) / 3;
  const from = seconds * STEADY.from + part * third;
  return all.filter(({ at }) => at >= from && at < from + part);
}

async function fails(work: () => Promise<void>): Promise<string | null> {
  return work().then(
    () => null,
    (error: unknown) => String(error),
  );
}

export function round(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
