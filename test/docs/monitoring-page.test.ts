import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readPage } from './fences.ts';

/** What stands in code type in the first cells of the tables under a heading of docs/monitoring.md. */
function listed(heading: string): string[] {
  const [, section = ''] = readPage('docs/monitoring.md').split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => cell.match(/[a-z_]+/g) ?? []).sort();
}

function inSources(pattern: RegExp): string[] {
  const sources = globSync(['{kernel/*,host,sdk/toolkit,plugins/*}/src/**/*.ts'], { cwd: ROOT });
  const found = sources
    .filter((name) => !/\.test\.ts$/.test(name))
    .flatMap((name) => [...readFileSync(join(ROOT, name), 'utf8').matchAll(pattern)].map(([, word = '']) => word));
  return [...new Set(found)].sort();
}

it('lists every metric', () => {
  expect(listed('Health and metrics')).toEqual(inSources(/name: '(svc_\w+)'/g));
});

it('lists every event of the log', () => {
  const ofTasks = inSources(/#task\('(\w+)'/g).map((task) => `${task}_failed`);
  expect(listed('Logs')).toEqual([...new Set([...inSources(/event: '(\w+)'/g), ...ofTasks])].sort());
});
