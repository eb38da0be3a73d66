import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../ending/say.ts';
import { CliError } from '../errors/cli-error.ts';
import { readArguments } from './arguments.ts';
import { answerOf, pagesOf, SERVER_OPTION } from './ask-server.ts';
import { LIST_HINTS, lineOf, listPath, runPath, runsIn, type ServedRunInList } from './runs-of-server.ts';
import { printable } from './terminal.ts';

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 15_000;
/** Gateways over one store may have clocks that differ by this much. */
const OVERLAP_MS = 10_000;
const SETTLED: ReadonlySet<string> = new Set(['completed', 'blocked', 'denied', 'error']);

/** `svc runs watch [--status S] [--server URL] [--json]`: prints runs as they start and change, until SIGINT. */
export async function watchRuns(args: string[]): Promise<void> {
  const { server, json, status } = readArguments(args, {
    server: SERVER_OPTION,
    json: { type: 'boolean', default: false },
    status: { type: 'string' },
  }).values;
  const end = new AbortController();
  process.once('SIGINT', () => end.abort());
  const watched = new WatchedRuns(server, status);
  for (let wait = FIRST_WAIT_MS, isFirst = true; !end.signal.aborted; isFirst = false) {
    const changed = await watched.poll().catch(async (error: unknown) => {
      if (isFirst || !(error instanceof CliError)) throw error;
      await say(`svc: ${error.message}; trying again`);
      return [];
    });
    for (const { events: _, ...run } of changed)
      process.stdout.write(json ? `${JSON.stringify(run)}\n` : `${lineOf({ ...run, events: [] })}\n`);
    wait = changed.length > 0 ? FIRST_WAIT_MS : Math.min(wait * 1.5, MAX_WAIT_MS);
    await sleep(wait, undefined, { signal: end.signal }).catch(() => undefined);
  }
  // Requests under way are not waited for.
  process.exit(0);
}

class WatchedRuns {
  readonly #server: string;
  readonly #status: string | undefined;
  readonly #known = new Map<string, ServedRunInList>();
  #newest = Date.now();

  constructor(server: string, status: string | undefined) {
    this.#server = server;
    this.#status = status;
  }

  /** The runs that are new or have another status, oldest first. @throws {CliError} */
  async poll(): Promise<ServedRunInList[]> {
    const from = this.#newest - OVERLAP_MS;
    const listed = new Map<string, ServedRunInList>();
    const filters = this.#filters(new Date(from).toISOString());
    for (const filter of filters)
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
    return changed.sort((one, other) => (one.created_at < other.created_at ? -1 : 1));
  }

  #filters(since: string): Record<string, string>[] {
    if (this.#status === 'paused') return [{ status: 'paused' }];
    return this.#status === undefined ? [{ status: 'paused' }, { since }] : [{ status: this.#status, since }];
  }

  /** A run that left the list, such as a paused one after the decision. */
  async #statusOf(known: ServedRunInList): Promise<ServedRunInList> {
    const { ok, body } = await answerOf(this.#server, { method: 'GET', path: runPath(known.run_id) }, LIST_HINTS);
    const status = ok && typeof body === 'object' && body !== null && 'status' in body ? body.status : undefined;
    return typeof status === 'string' ? { ...known, status: printable(status) } : known;
  }
}
