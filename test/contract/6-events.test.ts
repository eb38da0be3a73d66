import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EVENT_DATA, EVENT_STAGES, EVENT_TYPES, type EventType, type JsonObject } from '@svc/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideOnNext } from '../harness/decide.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const looking = (stream: string) => ({ type: 'masker', word: 'ACC-9', verdict: 'block', stream });
  const watch = { type: 'rules', mode: 'observe', rules: [{ name: 'any', match: '.+', verdict: 'block' }] };
  const packs = { watch, halt: looking('window'), late: looking('post') };
  const route = { provider: 'local', model: 'echo-1' };
  const routes = {
    observed: { ...route, pipeline: { ingress: ['watch'], egress: [] } },
    waiting: { ...route, approval_wait_ms: 60_000, pipeline: { ingress: ['policy'], egress: [] } },
    halt: { ...route, pipeline: { ingress: [], egress: ['halt'] } },
    late: { ...route, pipeline: { ingress: [], egress: ['late'] } },
  };
  gateway = await TestGateway.start({ here: true, config: echoConfig({ packs, routes }), packages: ['masker'] });
});
afterAll(() => gateway.dispose());

describe('6 Events', () => {
  it('1 are the entries of events and the ledger records, of closed lists of types and stages', async () => {
    for (const content of ['hello', 'forbidden', 'a wire transfer']) await gateway.chat(content);
    const events = (await gateway.get('/v1/audit')).body.runs.flatMap((run: { events: JsonObject[] }) => run.events);
    for (const { event_type, stage, node } of events) {
      expect(EVENT_TYPES).toContain(event_type);
      expect(EVENT_STAGES).toContain(stage);
      expect(node).toBeTypeOf('string');
    }
  });

  it('hold what openapi.json says of their type, and nothing else', async () => {
    for (const route of ['observed', 'halt', 'late']) await gateway.chat('words and ACC-9', { model: route });
    const paused = await gateway.chat('a wire transfer');
    const run = `/v1/runs/${paused.body.svc_run_id}`;
    await gateway.post(`${run}/resume`, { decision: 'approved' });
    await gateway.request('DELETE', `${run}/content`, {});
    const { components } = (await gateway.get('/v1/openapi.json')).body;
    const isEvent = new Ajv2020({ strict: false }).compile({ components, $ref: '#/components/schemas/RunEvent' });
    const events: { event_type: EventType; data: JsonObject }[] = (await gateway.get('/v1/audit')).body.runs.flatMap(
      (stored: { events: JsonObject[] }) => stored.events,
    );
    for (const event of events) {
      expect(isEvent(event), JSON.stringify([event, isEvent.errors])).toBe(true);
      expect(Object.keys(EVENT_DATA[event.event_type].properties)).toEqual(expect.arrayContaining(Object.keys(event.data)));
    }
    const types = new Set(events.map(({ event_type }) => event_type));
    expect([...types].sort()).toEqual(['decision', 'erased', 'observed', 'paused', 'provider_call', 'state', 'verdict']);
  });

  it('a verdict has package, version, mode, what was checked and what was found', async () => {
    const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'ACC-1 and ACC-2' }] });
    expect(body.events.find((event: JsonObject) => event.node === 'mask').data).toEqual({
      verdict: 'sanitize',
      code: 'account',
      package: '@svc/guard-rules',
      version: '2.0.0-alpha.1',
      mode: 'whole',
      scanned: { segments: 1, characters: 15, skipped: [] },
      findings: [{ entity_type: 'account', count: 2 }],
      duration_ms: expect.any(Number),
    });
  });

  it('an observing node changes nothing and records what it would have done', async () => {
    const { body } = await gateway.post('/v1/runs', { route: 'observed', messages: [{ role: 'user', content: 'hello' }] });
    expect(body).toMatchObject({ status: 'completed', response: expect.stringContaining('hello') });
    expect(body.events.find((event: JsonObject) => event.node === 'watch')).toMatchObject({
      event_type: 'observed',
      data: { verdict: 'block', code: 'any' },
    });
  });

  it('a provider_call has provider, model, region, attempt, usage, finish_reason and latency', async () => {
    const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'hello' }] });
    expect(body.events.find((event: JsonObject) => event.event_type === 'provider_call')).toEqual({
      event_type: 'provider_call',
      stage: 'execute',
      node: 'local',
      data: {
        provider: 'local',
        model: 'echo-1',
        region: 'eu',
        attempt: 1,
        outcome: 'answered',
        usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number), cached_input_tokens: 0, estimated: false },
        finish_reason: 'stop',
        latency_ms: expect.any(Number),
      },
    });
  });

  it('numbers in the ledger are integers', async () => {
    const numbers: number[] = [];
    JSON.stringify(await gateway.ledger(), (_key, value: unknown) => {
      if (typeof value === 'number') numbers.push(value);
      return value;
    });
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers.filter((number) => !Number.isInteger(number))).toEqual([]);
  });

  it('2 streaming frames carry every svc_event of part 2, in the last frame alone', async () => {
    const ask = (content: string, model: string) => readStream(gateway, content, { model });
    const denied = ask('a wire transfer', 'waiting');
    await decideOnNext(gateway, 'waiting', 'denied');
    const streams = await Promise.all([
      ask('forbidden', 'default'),
      ask('a wire transfer', 'default'),
      denied,
      ask('words and ACC-9', 'halt'),
      ask('words and ACC-9', 'late'),
      ask('words', 'late'),
    ]);
    expect(streams.map(({ frames }) => frames.at(-1)?.svc_event)).toEqual([
      'blocked',
      'paused',
      'denied',
      'stream_violation',
      'late_violation',
      undefined,
    ]);
    for (const { frames } of streams) {
      expect(frames.slice(0, -1).filter((frame) => 'svc_event' in frame)).toEqual([]);
    }
  });

  it('3 exporters forward every ledger record in order; failures are counted in svc_exporter_failures_total', async () => {
    const failing = { type: 'jsonl', name: 'away', path: './nowhere/evidence.jsonl' };
    const exporters = [{ type: 'jsonl', path: './evidence.jsonl' }, failing];
    const forwarding = await TestGateway.start({ here: true, config: echoConfig({ exporters }) });
    try {
      for (let i = 0; i < 300; i++) await forwarding.chat(`${i}`);
      const file = join(forwarding.folder, 'evidence.jsonl');
      const records = await forwarding.ledger();
      const sent = async () => (await readFile(file, 'utf8')).trim().split('\n');
      await expect.poll(async () => (await sent()).length).toBe(records.length);
      expect((await sent()).map((line) => JSON.parse(line).seq)).toEqual(records.map(({ seq }) => seq));
      const scraped = async () => (await forwarding.get('/metrics', null)).text;
      // The cursor moves once the file holds them.
      await expect.poll(scraped).toContain('svc_exporter_lag_records{exporter="jsonl"} 0');
      const metrics = await scraped();
      expect(metrics).toMatch(/^svc_exporter_failures_total\{exporter="away"\} [1-9]/m);
      expect(metrics).toMatch(/^svc_exporter_failures_total\{exporter="jsonl"\} 0$/m);
      expect(metrics).toContain(`svc_exporter_lag_records{exporter="away"} ${records.length}`);
      expect(metrics).toContain('svc_exporter_last_error{exporter="away",reason="ENOENT"} 1');
      // Its folder is there: nothing was lost meanwhile.
      await mkdir(join(forwarding.folder, 'nowhere'));
      const late = join(forwarding.folder, 'nowhere', 'evidence.jsonl');
      await expect.poll(() => readFile(late, 'utf8').catch(() => ''), { timeout: 20_000 }).toBe(await readFile(file, 'utf8'));
    } finally {
      await forwarding.dispose();
    }
  });

  it('4 the ledger has a model_inventory per route at start, and evidence per ended run', async () => {
    const records = await gateway.ledger();
    const routes = (await gateway.get('/v1/models')).body.data.length;
    const atStart = records.slice(0, routes).map(({ record_type }) => record_type);
    expect(atStart).toEqual(Array.from({ length: routes }, () => 'model_inventory'));
    const { run_stats } = (await gateway.get('/v1/audit/report')).body;
    const ended = run_stats.completed + run_stats.blocked + run_stats.denied + run_stats.error;
    expect(records.filter(({ record_type }) => record_type === 'run_evidence')).toHaveLength(ended);
  });
});
