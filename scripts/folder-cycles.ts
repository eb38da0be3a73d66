// Checks the imports between folders: within a package the arrows run one way, and no import leaves its package by a path. Import cycles between
// files are biome's; it knows no folders.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** Folders of packages and of what is built beside them. */
const PACKAGES = ['kernel/*/src', 'sdk/*/src', 'plugins/*/src', 'host/src', 'host/pages'];
/** Tests may reach anywhere, and so may what helps them. */
const EXCLUDED = ['**/*.test.ts', '**/test-*.ts', '**/fixtures/**', '**/*.d.ts'];
const IMPORTED = /(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g;

interface Arrow {
  /** Paths of folders below the package's, the package's own is ''. */
  readonly from: string;
  readonly to: string;
  /** The file that imports. */
  readonly file: string;
}

/** What is wrong, a line each: cycles between folders, and imports by a path that leaves its package. */
export function importProblems(root: string): string[] {
  return globSync(PACKAGES, { cwd: root })
    .sort()
    .flatMap((folder) => problemsOf(root, folder));
}

function problemsOf(root: string, folder: string): string[] {
  const arrows = arrowsOf(join(root, folder));
  const left = folder === 'host/pages' ? [] : arrows.filter(({ to }) => to.startsWith('..'));
  const inside = arrows.filter(({ to }) => !to.startsWith('..'));
  return [
    ...left.map(({ file }) => `${folder}/${file} imports a file of another package by its path`),
    ...cyclesIn(inside).map((cycle) => `${folder}: ${cycle.map((name) => name || '.').join(' → ')} import each other`),
  ];
}

/** The entry of a package stands above its folders, so what `index.ts` imports is no arrow. */
function arrowsOf(folder: string): Arrow[] {
  const files = globSync('**/*.ts', { cwd: folder, exclude: EXCLUDED }).filter((file) => file !== 'index.ts');
  return files.flatMap((file) => {
    const from = folderOf(file);
    const paths = [...readFileSync(join(folder, file), 'utf8').matchAll(IMPORTED)].map(([, path = '']) => path);
    const targets = paths.map((path) => folderOf(relative('.', normalize(join(dirname(file), path)))));
    return [...new Set(targets)].filter((to) => to !== from).map((to) => ({ from, to, file }));
  });
}

function folderOf(file: string): string {
  const folder = dirname(file);
  return folder === '.' ? '' : folder;
}

/** Of each set of folders that reach each other the shortest way around. */
function cyclesIn(arrows: readonly Arrow[]): string[][] {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const seen = new Set<string>();
  const cycles: string[][] = [];
  for (const start of next.keys()) {
    const cycle = seen.has(start) ? null : wayAround(start, next);
    if (cycle === null) continue;
    for (const folder of cycle) seen.add(folder);
    cycles.push(cycle);
  }
  return cycles;
}

function wayAround(start: string, next: ReadonlyMap<string, readonly Arrow[]>): string[] | null {
  const ways = [[start]];
  const reached = new Set<string>();
  for (const way of ways) {
    for (const { to } of next.get(way.at(-1) ?? '') ?? []) {
      if (to === start) return [...way, start];
      if (!reached.has(to)) ways.push([...way, to]);
      reached.add(to);
    }
  }
  return null;
}

if (process.argv[1] === import.meta.filename) {
  const problems = importProblems(join(import.meta.dirname, '..'));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
