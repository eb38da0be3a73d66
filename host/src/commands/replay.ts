import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { isStoreError } from '@svc/contracts';
import { sha256 } from '@svc/ledger';
import { Replay } from '@svc/runtime';
import { usableStoreConfiguration } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { durationMs } from '../config/duration.ts';
import { runsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { parseSince } from '../http/since.ts';
import { existingContentKeys, withKeysOf } from '../keys/content-key.ts';
import { type Candidate, openCandidate } from '../replay/candidate.ts';
import { type Condition, readCondition } from '../replay/fail-if.ts';
import { replayPage } from '../replay/page/replay-page.ts';
import { openRecorded, type RecordedStore } from '../replay/recorded-store.ts';
import { type Period, type ReplayReport, reportOf } from '../replay/report.ts';
import { ResumeFile, type State } from '../replay/resume-file.ts';
import { Totals } from '../replay/totals.ts';
import { withoutFetch } from '../replay/without-fetch.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { CONFIG_OPTION, readArguments } from './arguments.ts';
import { isolated } from './isolated.ts';
import { Progress } from './progress.ts';
import { replayLines } from './replay-lines.ts';

/** The exit code if a condition of `--fail-if` holds. */
const CONDITION_HOLDS = 3;
const DURATION = /^\d{1,6}[smhd]$/;
/** How often the state is written. */
const KEEP_EVERY_MS = 1_000;

interface Values {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly route?: string | undefined;
  readonly 'runs-db': string;
  readonly config: string;
  readonly resume?: string | undefined;
  readonly html?: string | undefined;
  readonly json: boolean;
  readonly 'fail-if': readonly string[];
}

/**
 * `svc replay FILE [--since 7d|TIME] [--until TIME] [--route R] [--runs-db DIR|URL] [--config F] [--resume STATE] [--fail-if COND].. [--html PAGE]
 * [--json]`: asks the guards of the configuration FILE about recorded runs whose content is kept, and reports what would change. Reads the runs-db with
 * the content key of the configuration F. Calls no model and no service, and writes nothing to the runs-db. Exit code 3 if a condition holds.
 */
export async function replay(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(
    args,
    {
      since: { type: 'string' },
      until: { type: 'string' },
      route: { type: 'string' },
      'runs-db': { type: 'string', default: 'runs-db' },
      config: CONFIG_OPTION,
      resume: { type: 'string' },
      'fail-if': { type: 'string', multiple: true, default: [] },
      html: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
    ['FILE'],
  );
  const [file = ''] = positionals;
  const conditions = values['fail-if'].map(readCondition);
  const period = periodOf(values);
  await isolated(
    () => replayFile(file, values, period, conditions),
    ({ signal }) => {
      throw new CliError(`the process that reads the runs-db was killed by ${signal}: the runs-db is damaged`);
    },
  );
}

async function replayFile(file: string, values: Values, period: Period, conditions: readonly Condition[]): Promise<void> {
  const candidate = await openCandidate(file);
  try {
    const { report, state } = await replayAll(candidate, values, period);
    if (values.html !== undefined) await writeFile(values.html, await replayPage(report));
    const text = values.json ? `${JSON.stringify(report)}\n` : `${replayLines(report).join('\n')}\n`;
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    await state?.remove();
    judge(report, conditions);
  } finally {
    await candidate.close();
  }
}

/** `state`: the file to remove once the report is written. */
async function replayAll(
  candidate: Candidate,
  values: Values,
  period: Period,
): Promise<{ readonly report: ReplayReport; readonly state: ResumeFile | null }> {
  const db = runsDb(values['runs-db']);
  const recorded = await openRecorded(db);
  if (recorded.is_copy) process.stderr.write(`a server is using ${db.place}: reading a copy of its current state\n`);
  try {
    const state = await stateFile(candidate, recorded, values);
    const begun = (await state?.read()) ?? { period, cursor: null, totals: new Totals() };
    const open = await openReplay(candidate, recorded, values.config);
    await withoutFetch(() => addPages(open, begun, state));
    return { report: reportOf(begun.totals, begun.period, candidate), state };
  } catch (error) {
    throw isStoreError(error) ? new CliError(error.message) : error;
  } finally {
    await recorded.close();
  }
}

async function stateFile({ digest }: Candidate, { store }: RecordedStore, values: Values): Promise<ResumeFile | null> {
  const { since = null, until = null, route = null, resume, 'runs-db': named } = values;
  if (resume === undefined) return null;
  const [first] = await store.recordsBySeq([1]);
  const first_record = first === undefined ? null : sha256(first.bytes);
  return new ResumeFile(resume, { digest, runs_db: runsDb(named).place, first_record, since, until, route });
}

async function openReplay(candidate: Candidate, { store }: RecordedStore, config_file: string): Promise<Replay> {
  const { store: settings } = await usableStoreConfiguration(config_file, newHost(silentLogger));
  try {
    const content_keys = await existingContentKeys(settings);
    return await withKeysOf({ ...content_keys, made_file: null }, settings, () =>
      Replay.open({ ...candidate, store, content_keys }),
    );
  } catch (error) {
    throw error instanceof Error ? new CliError(error.message) : error;
  }
}

/** Adds the runs after the cursor to the sums. */
async function addPages(open: Replay, { period, cursor, totals }: State, file: ResumeFile | null): Promise<void> {
  const { from, to, route } = period;
  const progress = new Progress(process.stderr, 'runs', null);
  const [began, before] = [performance.now(), totals.read];
  let kept = began;
  const query = { until: to, ...(from !== null && { since: from }), ...(route !== null && { route }) };
  for await (const { runs, next } of open.pages(query, cursor)) {
    for (const run of runs) totals.add(run);
    progress.advance(runs.length, 0);
    if (file === null || next === null || performance.now() < kept + KEEP_EVERY_MS) continue;
    await file.write({ period, cursor: next, totals });
    kept = performance.now();
  }
  progress.end();
  const [count, seconds] = [totals.read - before, (performance.now() - began) / 1000];
  process.stderr.write(`read ${count} runs in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} runs/s\n`);
}

function judge(report: ReplayReport, conditions: readonly Condition[]): void {
  if (conditions.length === 0) return;
  if (report.replayed === 0) throw new CliError('no run was replayed, so --fail-if cannot be checked');
  for (const { text } of conditions.filter(({ holds }) => holds(report))) {
    process.stderr.write(`--fail-if ${text}: the condition holds\n`);
    process.exitCode = CONDITION_HOLDS;
  }
}

function periodOf({ since, until, route }: Values): Period {
  return {
    from: since === undefined ? null : timeOf('--since', since),
    to: until === undefined ? new Date().toISOString() : timeOf('--until', until),
    route: route ?? null,
  };
}

/** A time, or a duration before now. */
function timeOf(option: string, text: string): string {
  const time = DURATION.test(text) ? new Date(Math.max(0, Date.now() - durationMs(text))).toISOString() : parseSince(text);
  if (time === null) throw new CliError(`${option} ${text} is neither an ISO 8601 time nor a duration such as 7d`, 2);
  return time;
}
