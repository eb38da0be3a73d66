import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGIN_KINDS } from '@svc/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { fencesOf, ROOT } from './fences.ts';

const PAGE = 'sdk/plugin/README.md';
/** The plugin that each example tests. */
const SUBJECTS: Readonly<Record<(typeof PLUGIN_KINDS)[number], string>> = {
  guard: 'host/templates/guard/src/index.ts',
  provider: 'host/templates/provider/src/index.ts',
  exporter: 'host/templates/exporter/src/index.ts',
  store: 'plugins/store-lmdb/src/index.ts',
  vectors: 'plugins/vectors-local/src/index.ts',
  embedder: 'plugins/embedder-local/src/index.ts',
  protocol: 'plugins/protocol-gemini/src/index.ts',
  secrets: 'test/fixtures/packages/drawer/index.js',
};
const BODIES = 'plugins/protocol-gemini/src/test-bodies.ts';

const folder = mkdtempSync(join(import.meta.dirname, '.examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const examples = fencesOf(PAGE).filter(({ language }) => language === 'ts');

it('there is an example for each kind', () => {
  expect(examples.map(({ mark }) => mark).toSorted()).toEqual(PLUGIN_KINDS.map((kind) => `${kind}.test.ts`).toSorted());
});

/** All cases of a store take half a minute, and the tests of the stores run them. */
const few = (kind: string, text: string): string =>
  kind === 'store' ? text.replace('of cases)', 'of cases.slice(0, 5))') : text;

// Each example registers its cases here, as it does in a project of its own.
describe.each(PLUGIN_KINDS)('%s', async (kind) => {
  const text = examples.find(({ mark }) => mark === `${kind}.test.ts`)?.text ?? '';
  const file = join(folder, `${kind}.ts`);
  const subject = (path: string): string => JSON.stringify(join(ROOT, path));
  writeFileSync(file, few(kind, text).replace("'./index.ts'", subject(SUBJECTS[kind])).replace("'./bodies.ts'", subject(BODIES)));
  expect(readFileSync(file, 'utf8')).not.toContain("'./");
  await import(file);
});
