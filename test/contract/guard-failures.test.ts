import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, TestGateway } from '../harness/gateway.ts';
import { RAG } from './rag-gateway.ts';

interface Failing extends JsonObject {
  how: string;
  where?: string;
  on_error?: string;
  mode?: string;
  timeout_ms?: number;
}

const THREW = { reason: 'threw', error_class: 'RefusedText', at: 'refuse.js:5:9' };
const NOTHING = { error_class: null, at: null };
const TEXT = 'sesame-4711';

/** Each way to fail, and what its line says of it. */
const WAYS: readonly [name: string, pack: Failing, said: JsonObject][] = [
  ['throws', { how: 'throws' }, THREW],
  ['rejects', { how: 'rejects' }, THREW],
  ['throws-text', { how: 'throws text' }, { reason: 'threw', ...NOTHING }],
  ['named', { how: 'has a name of its own' }, { reason: 'threw', error_class: 'Error' }],
  ['hangs', { how: 'hangs', timeout_ms: 50 }, { reason: 'timed_out', ...NOTHING }],
  ['rubbish', { how: 'rubbish' }, { reason: 'invalid_result', ...NOTHING }],
  ['edits', { how: 'edits past the end' }, { reason: 'invalid_result', ...NOTHING }],
  ['task-throws', { how: 'task throws' }, THREW],
  ['task-exits', { how: 'task exits' }, { reason: 'thread_ended', ...NOTHING }],
  ['task-unreadable', { how: 'task is unreadable' }, { reason: 'thread_ended', ...NOTHING }],
  ['task-nowhere', { how: 'task is not there' }, { reason: 'not_loaded', at: null }],
];
/** Each place of a streamed answer. */
const STREAMED: readonly [name: string, pack: Failing][] = ['open', 'push', 'complete', 'finish'].map((where) => [
  `stream-${where}`,
  { how: 'throws', where },
]);
/** Each other place, its `on_error` and mode. */
const PLACES: readonly [name: string, pack: Failing, pipeline: 'ingress' | 'egress', said: JsonObject][] = [
  ['allows', { how: 'throws', on_error: 'allow' }, 'ingress', { stage: 'ingress', level: 'warn', on_error: 'allow' }],
  ['observes', { how: 'throws', mode: 'observe' }, 'ingress', { stage: 'ingress', level: 'warn', observed: true }],
  ['answers', { how: 'throws' }, 'egress', { stage: 'egress', level: 'error' }],
  ['endpoint', { how: 'throws', where: 'endpoint' }, 'ingress', { stage: 'execute', level: 'error' }],
  ['settle', { how: 'throws', where: 'settle' }, 'ingress', { stage: 'settle', level: 'warn' }],
];

const packs = Object.fromEntries(
  [...WAYS, ...STREAMED, ...PLACES, ['indexes', { how: 'throws' }] as const].map(([name, pack]) => [
    name,
    { type: 'fails', ...pack },
  ]),
);
const route = (pipeline: JsonObject): JsonObject => ({ provider: 'local', model: 'echo-1', pipeline });
const routes = Object.fromEntries([
  ...WAYS.map(([name]) => [name, route({ ingress: [name] })] as const),
  ...STREAMED.map(([name]) => [name, route({ egress: [name] })] as const),
  ...PLACES.map(([name, , pipeline]) => [name, route({ [pipeline]: [name] })] as const),
]);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    packages: ['fails'],
    config: { providers: { local: { type: 'echo' } }, packs, routes, rag: { ...RAG, index_pipeline: ['indexes'] } },
  });
});
afterAll(async () => {
  expect(gateway.output).not.toContain(TEXT);
  await gateway.dispose();
});

const linesOf = (output: string): JsonObject[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));

/** The first line of the log for a failure of this node. */
const failureOf = (name: string): Promise<JsonObject> =>
  gateway.until((output) => linesOf(output).find(({ event, node }) => event === 'guard_failed' && node === name));

const runOf = ({ headers }: Answer): string | null => headers.get('x-svc-run-id');

/** The counter of a node, by its other labels; it was counted once. */
async function countedOf(name: string): Promise<Record<string, string>> {
  const { text } = await gateway.get('/metrics', null);
  const [, labels = ''] = new RegExp(`^svc_guard_failures_total\\{(node="${name}".*)\\} 1$`, 'm').exec(text) ?? [];
  return Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => [label, value]));
}

describe('a guard failure is logged and counted', () => {
  it.each(WAYS)('%s', async (name, _, said) => {
    const answer = await gateway.chat(TEXT, { model: name });
    const line = await failureOf(name);
    expect(line).toEqual({
      level: 'error',
      time: expect.any(String),
      event: 'guard_failed',
      node: name,
      package: '@fixture/fails',
      version: '1.2.3',
      run_id: runOf(answer),
      route: name,
      stage: 'ingress',
      reason: said.reason,
      on_error: 'block',
      observed: false,
      error_class: 'error_class' in said ? said.error_class : expect.any(String),
      at: 'at' in said ? said.at : expect.stringMatching(/^index\.js:\d+:\d+$/),
      suppressed: 0,
    });
    const counted = { node: name, stage: 'ingress', reason: said.reason, on_error: 'block', observed: 'false' };
    expect(await countedOf(name)).toEqual(counted);
  });

  it.each(STREAMED)('%s', async (name) => {
    const answer = await gateway.chat(TEXT, { model: name, stream: true });
    expect(await failureOf(name)).toMatchObject({ ...THREW, stage: 'egress', level: 'error', run_id: runOf(answer) });
    expect(await countedOf(name)).toMatchObject({ stage: 'egress', reason: 'threw' });
  });

  it.each(PLACES)('%s', async (name, _pack, _pipeline, said) => {
    const answer = await gateway.chat(TEXT, { model: name });
    expect(await failureOf(name)).toMatchObject({ ...THREW, ...said, run_id: runOf(answer) });
    expect(await countedOf(name)).toMatchObject({ stage: said.stage, observed: String(said.observed ?? false) });
  });

  it('also for an indexed document, without a run', async () => {
    const documents = [{ text: TEXT, metadata: {} }];
    expect((await gateway.post('/v1/rag/index', { namespace: 'handbook', documents })).status).toBe(422);
    expect(await failureOf('indexes')).toMatchObject({ ...THREW, stage: 'ingress', run_id: null });
  });
});

it('the next requests are served: no thread ended the process', async () => {
  expect((await gateway.chat(TEXT, { model: 'allows' })).body.choices[0].message.content).toContain(TEXT);
});
