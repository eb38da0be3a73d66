// Checks imports between folders. Within a package, no folders import each other, and no import leaves its package by a path. Biome checks import
// cycles between files, but not between folders.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** Folders of packages and pages. */
const PACKAGES = ['kernel/*/src', 'sdk/*/src', 'plugins/*/src', 'host/src', 'host/pages'];
/** Tests and their helpers may import anything. */
const EXCLUDED = ['**/*.test.ts', '**/test-*.ts', '**/fixtures/**', '**/*.d.ts'];
const IMPORTED = /(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g;

interface Arrow {
  /** Paths within the package; '' is its root. */
  readonly from: string;
  readonly to: string;
  /** The importing file. */
  readonly file: string;
}

/** The problems, one per line: cycles between folders, and imports by a path that leaves the package. */
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

/** Ignores `index.ts`, the entry of a package, which may import all folders. */
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

/** The shortest cycle in each group of folders that import each other. */
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
