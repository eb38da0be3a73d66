import { setTimeout as sleep } from 'node:timers/promises';
import { RUN_STATUSES } from '@svc/contracts';
import { say } from '../ending/say.ts';
import { CliError } from '../errors/cli-error.ts';
import { printable } from '../terminal/terminal.ts';
import { readArguments } from './arguments.ts';
import { answerOf, pagesOf, SERVER_OPTION } from './ask-server.ts';
import { LIST_HINTS, lineOf, listPath, runPath, runsIn, type ServedRunInList } from './runs-of-server.ts';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 15_000;
/** The clocks of gateways that share a store may differ by this much. */
const OVERLAP_MS = 10_000;
const SETTLED: ReadonlySet<string> = new Set(['completed', 'blocked', 'denied', 'error']);

/** `svc runs watch [--status S] [--server URL] [--json]`: prints runs as they start and change, until SIGINT. */
export async function watchRuns(args: string[]): Promise<void> {
  const { server, json, status } = readArguments(args, {
    server: SERVER_OPTION,
    json: { type: 'boolean', default: false },
    status: { type: 'string' },
  }).values;
  if (status !== undefined && !(RUN_STATUSES as readonly string[]).includes(status))
    throw new CliError(`--status ${status} is unknown: use one of ${RUN_STATUSES.join(', ')}`, 2);
  // Works even while a request is waiting for the server.
  process.once('SIGINT', () => process.exit(0));
  const watched = new WatchedRuns(server, status);
  for (let wait = FIRST_WAIT_MS, isFirst = true; ; isFirst = false) {
    const changed = await watched.poll().catch(async (error: unknown) => {
      if (isFirst || !(error instanceof CliError)) throw error;
      await say(`svc: ${error.message}; trying again`);
      return [];
    });
    for (const { events: _, ...run } of changed) process.stdout.write(`${json ? JSON.stringify(run) : lineOf(run)}\n`);
    wait = changed.length > 0 ? FIRST_WAIT_MS : Math.min(wait * 1.5, MAX_WAIT_MS);
    await sleep(wait);
  }
}

/** Exported for its test. */
export class WatchedRuns {
  readonly #server: string;
  readonly #status: string | undefined;
  readonly #known = new Map<string, ServedRunInList>();
  /** Time by the server's clock. Null before the first poll. */
  #newest: number | null = null;

  constructor(server: string, status: string | undefined) {
    this.#server = server;
    this.#status = status;
  }

  /** The new or changed runs that have the wanted status now, oldest first. @throws {CliError} */
  async poll(): Promise<ServedRunInList[]> {
    this.#newest ??= await timeOf(this.#server);
    const since = new Date(this.#newest - OVERLAP_MS).toISOString();
    const listed = new Map<string, ServedRunInList>();
    for (const filter of this.#filters(since))
      for await (const page of pagesOf(this.#server, listPath(filter), LIST_HINTS))
        for (const run of runsIn(page, this.#server)) listed.set(run.run_id, run);
    for (const [run_id, known] of this.#known) {
      if (listed.has(run_id)) continue;
      if (SETTLED.has(known.status)) this.#known.delete(run_id);
      else listed.set(run_id, await this.#statusOf(known));
    }
    const changed = [...listed.values()].filter(({ run_id, status }) => this.#known.get(run_id)?.status !== status);
    for (const run of changed) {
      this.#known.set(run.run_id, { ...run, events: [] });
      this.#newest = Math.max(this.#newest, Date.parse(run.created_at) || 0);
    }
    return changed
      .filter(({ status }) => this.#isWanted(status))
      .sort((one, other) => (one.created_at < other.created_at ? -1 : 1));
  }

  #filters(since: string): Record<string, string>[] {
    return this.#status === 'paused' ? [{ status: 'paused' }] : [{ status: 'paused' }, { since }];
  }

  /** For paused runs, the decisions are also shown. */
  #isWanted(status: string): boolean {
    return this.#status === undefined || this.#status === 'paused' || status === this.#status;
  }

  /** The status of a run that is no longer listed, such as a paused one after the decision. */
  async #statusOf(known: ServedRunInList): Promise<ServedRunInList> {
    const { ok, body } = await answerOf(this.#server, { method: 'GET', path: runPath(known.run_id) }, LIST_HINTS);
    const status = ok && typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined;
    return typeof status === 'string' ? { ...known, status: printable(status) } : known;
  }
}

async function timeOf(server: string): Promise<number> {
  const { headers } = await answerOf(server, { method: 'GET', path: '/livez' }, LIST_HINTS);
  return Date.parse(headers.get('date') ?? '') || Date.now();
}
