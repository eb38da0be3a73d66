import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import plugin from '@svc/guard-classifier';
import type { GuardDeps, Segment } from '@svc/sdk';
import { fakeGuardContext, fakePluginDeps, guardConformance } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
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

const written = new Map<string, { model: string; sha256: string }>();
/** A model in a folder of its own. Equal models have one folder, so that a thread loads them once. */
function modelOf(parts: Parameters<typeof writeClassifier>[1] = {}) {
  const key = JSON.stringify(parts);
  const model = written.get(key)?.model ?? `model-${written.size}`;
  const made = written.get(key) ?? { model, sha256: writeClassifier(join(folder, model), parts) };
  written.set(key, made);
  return made;
}

function guardOf(parts: Parameters<typeof writeClassifier>[1] = {}, more: Partial<Options> = {}) {
  const { model, sha256 } = modelOf(parts);
  const guard = plugin.create(options(sha256, { model, ...more }), deps);
  const judge = (segments: readonly Segment[], stage: 'ingress' | 'egress' = 'ingress') =>
    guard.check(segments, fakeGuardContext({ stage }));
  return { guard, judge, check: (...texts: string[]) => judge(texts.map((text, n) => segmentOf(text, n))) };
}

describe.each<[string, Partial<Options>, RegExp]>([
  ['blocking', {}, /^/],
  // The verdict is only a word in the result, so the cases of many and of long texts, and of many runs, need not run twice.
  ['pausing', { verdict: 'require_approval' }, /^(declares|finds every sample|allows|does not put)/],
])('guard conformance of %s', (_, more, names) => {
  const cases = guardConformance({
    guard: () => guardOf({}, more).guard,
    samples: ['this is an attack', 'I hate you 😀', 'two attackers'],
    clean: ['good words', 'Wie spät ist es in Łódź? 👩‍💻'],
  });
  for (const { name, run } of cases.filter((one) => names.test(one.name))) test(name, { timeout: LONG }, run);
});

const codesOf = ({ findings }: Awaited<ReturnType<ReturnType<typeof guardOf>['judge']>>) =>
  findings.map(({ entity_type, count }) => [entity_type, count]);

describe('a text', () => {
  it('has the labels that reach their thresholds, with scores and counts', async () => {
    const between = segmentOf('attack', 1, { role: 'assistant', path: 'messages.1.content', origin: 'assistant' });
    expect(await guardOf().judge([segmentOf('an attack', 0), between, segmentOf('attackers, mild attack', 2)])).toEqual({
      verdict: 'block',
      code: 'ATTACK',
      edits: [],
      findings: [{ entity_type: 'ATTACK', count: 2, score: 0.982, origins: ['user'] }],
    });
    expect(await guardOf().check('I hate you')).toMatchObject({ code: 'severe.toxicity', findings: [{ score: 0.982 }] });
    expect(await guardOf({}, { labels: { 'severe toxicity': {} } }).check('an attack')).toMatchObject({ verdict: 'allow' });
  });

  it.each([
    [0.495, 'block'],
    [0.496, 'allow'],
  ] as const)('with a threshold of %d: %s', async (threshold, verdict) => {
    // Softmax of the logits 4, 4 and 0.
    expect((await guardOf({}, { threshold }).check('mild')).verdict).toBe(verdict);
  });

  it('has a score for each label by itself, if the labels do not exclude each other', async () => {
    const config = { ...CONFIG, problem_type: 'multi_label_classification' };
    const { findings } = await guardOf({ config }).check('attack and hate');
    expect(findings).toMatchObject([
      { entity_type: 'ATTACK', score: 1 },
      { entity_type: 'severe.toxicity', score: 1 },
    ]);
    const alone = { ...MODEL, bias: [-1], weights: { 5: [3] } };
    const found = await guardOf({ model: alone, config: { id2label: { 0: 'ATTACK' } } }, { labels: { ATTACK: {} } }).check(
      'attack',
    );
    expect(found.findings).toMatchObject([{ score: 0.881 }]);
  });

  it.each([10, 61, 62, 63, 100, 5_000, 90_000])('is read to the end: a word after %d others', async (words) => {
    const { check } = guardOf();
    expect((await check(`${'a '.repeat(words)}attack`)).verdict).toBe('block');
    expect((await check(`${'a '.repeat(words)}attack ${'a '.repeat(words)}`)).verdict).toBe('block');
    expect((await check('a '.repeat(words))).verdict).toBe('allow');
  });

  it('is padded for a model that reads a fixed number of tokens', async () => {
    const inputs = ['attention_mask', 'token_type_ids'];
    const { check } = guardOf({ model: { ...MODEL, length: 16, inputs } });
    expect((await check('attack')).verdict).toBe('block');
    expect((await check(`${'a '.repeat(60)}attack`)).verdict).toBe('block');
    expect((await check('a '.repeat(60))).verdict).toBe('allow');
  });
});

describe('the texts of a request', () => {
  const tool = { role: 'tool', path: 'messages.1.content', origin: 'tool', untrusted: true } as const;
  const system = { role: 'system', path: 'messages.2.content', origin: 'system' } as const;

  it('are those of the roles, and in an answer all', async () => {
    const segments = [segmentOf('good', 0), segmentOf('attack', 1, tool), segmentOf('hate', 2, system)];
    const { judge } = guardOf();
    expect(await judge(segments)).toMatchObject({ findings: [{ entity_type: 'ATTACK', origins: ['tool'] }] });
    expect(codesOf(await guardOf({}, { roles: ['system'] }).judge(segments))).toEqual([['severe.toxicity', 1]]);
    const answer = segmentOf('attack', 0, {
      role: 'assistant',
      path: 'choices.0.message.content',
      choice: 0,
      origin: 'assistant',
    });
    expect(codesOf(await judge([answer], 'egress'))).toEqual([['ATTACK', 1]]);
    expect((await judge([answer])).verdict).toBe('allow');
  });

  it('that a model reads as one are one', async () => {
    const part = (text: string, n: number) => segmentOf(text, n, { path: `messages.0.content.${n}.text` });
    expect(codesOf(await guardOf().judge([part('an att', 0), part('ack', 1)]))).toEqual([['ATTACK', 1]]);
    expect(codesOf(await guardOf().judge([part('an attack', 0), part('attack', 1)]))).toEqual([['ATTACK', 1]]);
  });
});

describe('a model is refused', () => {
  const refused = async (parts: Parameters<typeof writeClassifier>[1], more: Partial<Options> = {}): Promise<string> =>
    guardOf(parts, more)
      .guard.start?.()
      .then(
        () => 'accepted',
        (error: Error) => error.message,
      ) ?? '';

  it('that is what it should be: not', async () => {
    expect(await refused({})).toBe('accepted');
  });

  it('if a file is missing, changed or no model, by the name of the file', async () => {
    const start = (model: string, sha256: string) => plugin.create(options(sha256, { model }), deps).start?.();
    await expect(start('nowhere', 'a'.repeat(64))).rejects.toThrow(join(folder, 'nowhere', 'config.json'));
    const broken = join(folder, 'broken');
    const digest = writeClassifier(broken);
    for (const [file, text] of [
      ['model.onnx', 'no model'],
      ['tokenizer.json', '{"model":{}}'],
      ['config.json', '[]'],
    ] as const) {
      writeClassifier(broken);
      writeFileSync(join(broken, file), text);
      await expect(start('broken', digest)).rejects.toThrow(digestOf(broken));
      await expect(start('broken', digestOf(broken))).rejects.toThrow(join(broken, file));
    }
    rmSync(join(broken, 'model.onnx'));
    await expect(start('broken', digest)).rejects.toThrow(join(broken, 'model.onnx'));
  });

  it.each<[string, Parameters<typeof writeClassifier>[1], Partial<Options>, string]>([
    ['a label that it does not have', {}, { labels: { NONE: {} } }, 'config.json'],
    ['labels with a gap', { config: { id2label: { 0: 'ATTACK', 2: 'x' } } }, {}, 'config.json'],
    ['another number of scores than labels', { config: { id2label: { 0: 'ATTACK' } } }, { labels: { ATTACK: {} } }, 'model.onnx'],
    ['an unknown input', { model: { ...MODEL, inputs: ['pixel_values'] } }, {}, 'model.onnx'],
    ['a vocabulary that is too small', { model: { ...MODEL, tokens: 3, weights: {} } }, {}, 'model.onnx'],
  ])('with %s', async (_, parts, more, file) => {
    expect(await refused(parts, more)).toContain(file);
  });

  it('without its runtime, which the message says how to install', async () => {
    const elsewhere = { ...deps, directory: tmpdir() };
    const start = plugin.create(options(modelOf().sha256), elsewhere).start;
    await expect(start?.()).rejects.toThrow('npm install onnxruntime-web');
  });

  it('if it changed since the start: the check fails', async () => {
    const changing = join(folder, 'changing');
    const guard = plugin.create(options(writeClassifier(changing), { model: 'changing' }), deps);
    await guard.start?.();
    writeClassifier(changing, { model: { ...MODEL, weights: {} } });
    await expect(guard.check([segmentOf('attack', 0)], fakeGuardContext())).rejects.toThrow();
  });
});

describe('in a gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start({ config: echoConfig({}) });
    await gateway.stop();
    symlinkSync(join(folder, 'node_modules'), join(gateway.folder, 'node_modules'));
    const sha256 = writeClassifier(join(gateway.folder, 'tiny'));
    const route = (name: string) => ({ provider: 'local', model: 'echo-1', pipeline: { ingress: [name], egress: [name] } });
    const tiny = { type: 'classifier', model: 'tiny', sha256, labels: { ATTACK: {} } };
    const config = echoConfig({
      packs: { tiny, asks: { ...tiny, verdict: 'require_approval' }, slow: { ...tiny, timeout_ms: 1 } },
      routes: { default: route('tiny'), asks: route('asks'), slow: route('slow') },
    });
    const { auth } = JSON.parse(readFileSync(join(gateway.folder, 'svc.yaml'), 'utf8'));
    await gateway.configure({ ...config, auth });
    await gateway.launch();
  }, LONG);
  afterAll(() => gateway?.dispose());

  const check = async (text: string, more: JsonObject = {}) =>
    (await gateway.post('/v1/guard', { route: 'default', text, ...more })).body;

  it('blocks in both stages, and records label, score and model, but no text', async () => {
    expect(await check('SECRET-MARKER attack', { evidence: true })).toMatchObject({
      verdict: 'block',
      code: 'ATTACK',
      findings: [{ entity_type: 'ATTACK', count: 1, score_ppm: 982_000 }],
    });
    expect(await check('attack', { stage: 'egress' })).toMatchObject({ verdict: 'block' });
    expect(await check('attack', { route: 'asks' })).toMatchObject({ verdict: 'require_approval' });
    expect(await check('good words')).toMatchObject({ verdict: 'allow' });
    const records = JSON.stringify(await gateway.ledger());
    expect(records).toContain(`model tiny sha256:${digestOf(join(gateway.folder, 'tiny'))}`);
    expect(records).toContain('"score_ppm":982000');
    expect(records + gateway.output).not.toContain('SECRET-MARKER');
  });

  it('is tried on examples, at thresholds of which it takes account', async () => {
    const args = ['try', '--json', '--config', join(gateway.folder, 'svc.yaml'), '--threshold', 'tiny=0.3,0.9', '--pack', 'tiny'];
    const input = ['mild', 'an attack', 'good'].map((text) => `${JSON.stringify({ text })}\n`).join('');
    const { stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', input });
    expect(stderr).toBe('');
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(last.summary.packs).toMatchObject([
      { threshold: 0.3, found: 2, entities: { ATTACK: { examples: 2, findings: 2 } } },
      { threshold: 0.9, found: 1 },
    ]);
  });

  it('blocks when the time is over, and lives on', async () => {
    const text = 'a '.repeat(200_000);
    expect(await check(text, { route: 'slow' })).toMatchObject({ verdict: 'block', code: 'SVC-NODE-001' });
    expect(await check('an attack')).toMatchObject({ verdict: 'block', code: 'ATTACK' });
  });
});
