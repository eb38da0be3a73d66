import type { Protocol, RunQuery, RunRow, Store } from '@svc/contracts';
import { type Protocols, protocolsWith } from '@svc/protocols';
import type { ContentKeys } from '../../content/key-tree.ts';
import { ContentVault } from '../../content/vault.ts';
import { eventsIn } from '../runs/matching-runs.ts';
import type { RunView } from '../runs/stored-runs.ts';
import type { GuardsEnv } from './ask-guards.ts';
import { keptBodies, type LeftOut } from './kept-bodies.ts';
import { mapInOrder } from './map-in-order.ts';
import type { OfflineRoute } from './offline-route.ts';
import { type ReplayedRun, replayRun } from './replay-run.ts';

/** Number of runs that are read at once. */
const PAGE = 200;
/** Number of runs that guards in threads may check at the same time. It bounds the memory for bodies. */
const AT_ONCE = 8;

export interface ReplayOptions extends GuardsEnv {
  /** Opened for reading. */
  readonly store: Store;
  readonly content_keys: ContentKeys;
  /** Routes of the configuration to try, by name. Their guards must be started. */
  readonly routes: ReadonlyMap<string, OfflineRoute>;
  /** Protocols in addition to those of `@svc/protocols`. */
  readonly protocols: readonly Protocol[];
}

/** A recorded run, and what became of it. */
export interface Replayed {
  readonly row: RunRow;
  readonly result: ReplayedRun | LeftOut;
}

/** The replayed runs of a page, newest first. `next`: the cursor of the next page; null: there is none. */
export interface ReplayedPage {
  readonly runs: readonly Replayed[];
  readonly next: string | null;
}

/** Asks the guards of routes about recorded runs. Reads from the store only; calls no model, and records nothing. */
export class Replay {
  readonly #content: ContentVault;
  readonly #protocols: Protocols;
  readonly #options: ReplayOptions;

  private constructor(options: ReplayOptions, content: ContentVault) {
    this.#options = options;
    this.#content = content;
    this.#protocols = protocolsWith(options.protocols);
  }

  /** @throws {UnknownContentKey} if the kept content cannot be read with these keys */
  static async open(options: ReplayOptions): Promise<Replay> {
    const content = new ContentVault(options.store, options.content_keys);
    await content.openToRead();
    return new Replay(options, content);
  }

  /** The runs of a query after a cursor. At most one page is in memory. */
  async *pages(query: Omit<RunQuery, 'limit' | 'cursor'>, cursor: string | null): AsyncGenerator<ReplayedPage> {
    const { store } = this.#options;
    let next = cursor;
    do {
      const page = await store.runs({ ...query, limit: PAGE, ...(next !== null && { cursor: next }) });
      const views = await this.#viewsOf(page.rows);
      const runs: Replayed[] = [];
      for await (const run of mapInOrder(views, AT_ONCE, (view) => this.#replay(view))) runs.push(run);
      yield { runs, next: page.next };
      next = page.next;
    } while (next !== null);
  }

  async #viewsOf(rows: readonly RunRow[]): Promise<RunView[]> {
    const records = await this.#options.store.recordsBySeq(rows.flatMap(({ evidence }) => evidence?.seq ?? []));
    const texts = new Map(records.map(({ seq, bytes }) => [seq, bytes]));
    return rows.map((row) => {
      const record = texts.get(row.evidence?.seq ?? 0);
      return { row, events: record === undefined ? row.events : [...eventsIn(record), ...row.events] };
    });
  }

  async #replay(view: RunView): Promise<Replayed> {
    const { row } = view;
    const route = this.#options.routes.get(row.route);
    if (route === undefined) return { row, result: 'route_missing' };
    const kept = await keptBodies(view, { content: this.#content, protocols: this.#protocols });
    return { row, result: typeof kept === 'string' ? kept : await replayRun(view, kept, route, this.#options) };
  }
}
