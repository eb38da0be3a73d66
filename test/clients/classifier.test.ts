import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import plugin from '@svc/guard-classifier';
import { fakeGuardContext, fakePluginDeps, guardConformance } from '@svc/sdk/testing';
import type { GuardDeps, Segment } from '@svc/sdk';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { npmPackages } from '../harness/npm-packages.ts';
import { CONFIG, digestOf, MODEL, writeClassifier } from '../harness/tiny-classifier.ts';

/** Of installing it from an index. */
const LONG = 900_000;
const RUNTIME = 'onnxruntime-web@1.30.0';

let folder: string;
let deps: GuardDeps;
beforeAll(async () => {
  const modules = await npmPackages(RUNTIME.replace('@', '-'), [RUNTIME]);
  folder = mkdtempSync(join(tmpdir(), 'svc-classifier-'));
  symlinkSync(modules, join(folder, 'node_modules'));
  deps = { ...fakePluginDeps(), directory: folder };
}, LONG);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Options = Parameters<typeof plugin.create>[0];

function options(sha256: string, more: Partial<Options> = {}): Options {
  return {
    model: 'tiny',
    sha256,
    labels: { ATTACK: {}, 'severe toxicity': { threshold: 0.9 } },
    threshold: 0.5,
    verdict: 'block',
    roles: ['user', 'tool', 'tool_calls', 'request'],
    max_tokens: 512,
    ...more,
  };
}

const segmentOf = (text: string, index: number, more: Partial<Segment> = {}): Segment => ({
  index,
  text,
  kind: 'text',
  role: 'user',
  path: `messages.${index}.content`,
  choice: null,
  origin: 'user',
  untrusted: false,
  ...more,
});

let models = 0;
/** A guard with a model of its own. */
function guardOf(parts: Parameters<typeof writeClassifier>[1] = {}, more: Partial<Options> = {}) {
  models += 1;
  const model = `model-${models}`;
  const guard = plugin.create(options(writeClassifier(join(folder, model), parts), { model, ...more }), deps);
  return { guard, folder: join(folder, model), check: (...texts: string[]) => guard.check(texts.map((text, n) => segmentOf(text, n)), fakeGuardContext()) };
}

describe.each<[string, Partial<Options>]>([
  ['blocking', {}],
  ['pausing', { verdict: 'require_approval' }],
])('guard conformance of %s', (_, more) => {
  const cases = guardConformance({
    guard: () => guardOf({}, more).guard,
    samples: ['this is an attack', 'I hate you 😀', 'two attackers'],
    clean: ['good words', 'Wie spät ist es in Łódź? 👩‍💻'],
  });
  for (const { name, run } of cases) test(name, { timeout: LONG }, run);
});

describe('a text', () => {
  it('has the labels that reach their thresholds, with scores and counts', async () => {
    expect(await guardOf().check('an attack', 'good', 'attackers hate attack')).toEqual({
      verdict: 'block',
      code: 'ATTACK',
      edits: [],
      findings: [{ entity_type: 'ATTACK', count: 1, score: 0.982, origins: ['user'] }],
    });
    expect(await guardOf().check('I hate you')).toMatchObject({ code: 'severe.toxicity', findings: [{ score: 0.982 }] });
    expect(await guardOf({}, { labels: { 'severe toxicity': {} } }).check('an attack')).toMatchObject({ verdict: 'allow' });
  });
});
