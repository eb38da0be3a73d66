import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SeqRange } from '@svc/sdk/store';
import { toBufferKey } from 'ordered-binary';
import { allCounts, type RunCounts } from '../tables/run-counts.ts';
import { SCHEMA, SCHEMA_KEY } from '../tables/schema.ts';
import { DataPages } from './data-pages.ts';
import { FreeEntries } from './free-entries.ts';
import { KeySet } from './key-set.ts';
import { LedgerEntries } from './ledger-entries.ts';
import { readTree, type Tree } from './page-format.ts';
import { RunEntries } from './run-entries.ts';
import { hasWholeEdge, type TreeVisitor, walkTree } from './walk-tree.ts';

/** The damage of a folder. */
export interface Damage {
  /** `data.mdb` for the file itself, `free` and `main` for LMDB's own trees, otherwise the name of a database. */
  readonly databases: readonly string[];
  /** Ranges of damaged records, if `databases` has `ledger`; `LAST_SEQ`: up to the end. */
  readonly seqs: SeqRange | null;
  /** Those with pages that LMDB cannot read safely; the others can be read, but differ from what was written. */
  readonly unreadable: readonly string[];
  /** The file ends before its last page. */
  readonly is_short: boolean;
}

const COUNTS_KEY = toBufferKey(['counts']);

/** The sub-trees, by the names of their databases, and other entries of the main tree. */
interface Main {
  readonly trees: ReadonlyMap<string, Tree>;
  readonly schema: number;
}

/**
 * Reads everything in a folder without LMDB; nobody may write to it meanwhile. Null: undamaged.
 *
 * Finds every page that differs from what its tree says, every record that differs from what was sealed, every invalid row, and indexes and counts
 * that do not match rows and records. Content is encrypted: only its pages are checked.
 */
export function inspect(folder: string): Damage | null {
  return inspectWith(folder, inspectAll);
}

function inspectWith(folder: string, look: (pages: DataPages) => Damage | null): Damage | null {
  const pages = DataPages.open(join(folder, 'data.mdb'));
  if (pages === null) return { databases: ['data.mdb'], unreadable: ['data.mdb'], seqs: null, is_short: false };
  try {
    return look(pages);
  } finally {
    pages.close();
  }
}

/** The same only for what is read when a folder is opened, which is fast: LMDB's own trees, and the ends of the others, where records are added. */
export function inspectRoots(folder: string): Damage | null {
  return inspectWith(folder, (pages) => {
    const damaged = new Set<string>();
    const walk = walkOf(pages, damaged);
    const { trees } = readMain(pages, walk);
    for (const [name, tree] of trees) if (!hasWholeEdge(pages, tree)) damaged.add(name);
    walk('free', pages.meta.free, {});
    return damageOf(pages, damaged, new Set(), null);
  });
}

/** The same of pages alone: whether LMDB can read them, not whether they hold what was written. */
export function inspectPages(folder: string): Damage | null {
  return inspectWith(folder, (pages) => {
    const damaged = new Set<string>();
    const walk = walkOf(pages, damaged);
    const { trees } = readMain(pages, walk);
    for (const [name, tree] of trees) walk(name, tree, {});
    const free = new FreeEntries();
    walk('free', pages.meta.free, free);
    if (!free.areFree(pages)) damaged.add('free');
    return damageOf(pages, damaged, new Set(), null);
  });
}

type Walk = (name: string, tree: Tree | undefined, visitor: Partial<TreeVisitor>) => void;

function walkOf(pages: DataPages, damaged: Set<string>): Walk {
  return (name, tree, visitor) => {
    if (tree === undefined) return;
    walkTree(pages, tree, {
      entry: (...entry) => visitor.entry?.(...entry),
      damaged: (range) => {
        damaged.add(name);
        visitor.damaged?.(range);
      },
    });
  };
}

/** @param altered databases that can be read but differ from what was written */
function damageOf(
  { is_short }: DataPages,
  unreadable: ReadonlySet<string>,
  altered: ReadonlySet<string>,
  seqs: SeqRange | null,
): Damage | null {
  const databases = [...new Set([...unreadable, ...altered])].sort();
  return databases.length === 0 ? null : { databases, unreadable: [...unreadable].sort(), seqs, is_short };
}

function inspectAll(pages: DataPages): Damage | null {
  const damaged = new Set<string>();
  const walk = walkOf(pages, damaged);
  const { trees, schema } = readMain(pages, walk);
  const [ledger, runs] = [new LedgerEntries(), new RunEntries()];
  const [ledgerIndex, runIndex] = [new KeySet(), new KeySet()];
  let counts: RunCounts = {};
  walk('ledger', trees.get('ledger'), ledger);
  walk('runs', trees.get('runs'), runs);
  walk('started-runs', trees.get('started-runs'), runs.started);
  walk('ledger-index', trees.get('ledger-index'), { entry: (key) => ledgerIndex.add(key) });
  walk('run-index', trees.get('run-index'), { entry: (key) => runIndex.add(key) });
  walk('state', trees.get('state'), {
    entry: (key, value) => {
      if (key.equals(COUNTS_KEY)) counts = countsIn(value);
    },
  });
  for (const name of trees.keys()) if (!CHECKED.includes(name)) walk(name, trees.get(name), {});
  const free = new FreeEntries();
  walk('free', pages.meta.free, free);

  if (!free.areFree(pages)) damaged.add('free');

  const altered = new Set<string>();
  if (ledger.damage !== null) altered.add('ledger');
  else if (!ledger.index.equals(ledgerIndex)) altered.add('ledger-index');
  if (runs.is_damaged) altered.add('runs');
  // The earlier indexes and counts are unknown here.
  else if (schema === SCHEMA) {
    if (!runs.index.equals(runIndex)) altered.add('run-index');
    if (!isSame(counts, runs.counts)) altered.add('state');
  }
  return damageOf(pages, damaged, altered, ledger.damage);
}

const CHECKED = ['ledger', 'runs', 'started-runs', 'ledger-index', 'run-index', 'state'];

function readMain(pages: DataPages, walk: Walk): Main {
  const trees = new Map<string, Tree>();
  let schema = Number.NaN;
  walk('main', pages.meta.main, {
    entry: (key, value, is_tree) => {
      const tree = is_tree ? readTree(value) : null;
      if (tree !== null) trees.set(key.toString().replace(/\0$/, ''), tree);
      else if (key.equals(toBufferKey(SCHEMA_KEY))) schema = Number(value.toString());
    },
  });
  return { trees, schema };
}

function countsIn(value: Buffer): RunCounts {
  try {
    return JSON.parse(value.toString()) ?? {};
  } catch {
    return {};
  }
}

function isSame(a: RunCounts, b: RunCounts): boolean {
  return isDeepStrictEqual(allCounts(a), allCounts(b));
}
