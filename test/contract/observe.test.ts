import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  completionOf,
  failure,
  frames as framesOf,
  JSON_HEADERS,
  liveStream,
  raw,
  startUpstream,
  type Upstream,
} from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { StreamReader } from '../harness/stream-reader.ts';
import { chunk, usageChunk } from '../harness/stream-scene.ts';

/** Guards of every kind, each of which would stop or change everything that the tests send. */
const WATCHING: Readonly<Record<string, JsonObject>> = {
  masks: { type: 'rules', rules: [{ name: 'any', match: '.', verdict: 'sanitize' }] },
  pauses: { type: 'rules', rules: [{ name: 'any', match: '.', verdict: 'require_approval' }], on_error: 'require_approval' },
  judgesLate: { type: 'rules', stream: 'post', rules: [{ name: 'any', match: '.', verdict: 'block' }] },
  judgesWhole: { type: 'rules', stream: 'buffer', rules: [{ name: 'any', match: '.', verdict: 'block' }] },
  spends: { type: 'budget', limits: [{ scope: 'principal', unit: 'requests', amount: 0, period: 'month' }] },
};
const INGRESS = { ...WATCHING, region: { type: 'residency', allowed_regions: ['nowhere'] } };

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const observing = (packs: Readonly<Record<string, JsonObject>>) =>
    Object.fromEntries(Object.entries(packs).map(([name, pack]) => [name, { ...pack, mode: 'observe' }]));
  const first = { type: 'openai', base_url: upstream.url, region: 'eu', timeout_ms: 5000 };
  const route = { provider: 'first', model: 'm-1', fallbacks: [{ provider: 'first', model: 'm-2' }] };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: { first },
      packs: observing(INGRESS),
      routes: {
        plain: { ...route, pipeline: { ingress: [], egress: [] } },
        watched: { ...route, pipeline: { ingress: Object.keys(INGRESS), egress: Object.keys(WATCHING) } },
      },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** Fields and forms that an enforcing guard would leave out or write anew. */
const ODD_ARGUMENTS = '{ "b" : 1.0,\n "a": "x", "a": "y" }';
const ODD_ANSWER = {
  ...completionOf({}, 'an answer'),
  unknown_field: { of: 'tomorrow' },
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'an answer',
        unknown_part: 'kept',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: ODD_ARGUMENTS } }],
      },
      logprobs: { content: [{ token: 'an', logprob: -0.1 }] },
      finish_reason: 'stop',
    },
  ],
};
const REQUEST: JsonObject = {
  messages: [
    { role: 'user', content: 'a question' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: ODD_ARGUMENTS } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'a result' },
  ],
  some_new_parameter: { x: [1] },
};
const OWN = ['id', 'created', 'model', 'svc_run_id', 'svc_evidence'];
const common = (value: JsonObject): JsonObject => Object.fromEntries(Object.entries(value).filter(([key]) => !OWN.includes(key)));

interface Event {
  event_type: string;
  stage: string;
  node: string;
  data: { verdict?: string; code?: string; scanned?: { segments: number }; failure?: string };
}
const eventsOf = async (run_id: string | null): Promise<Event[]> => (await gateway.get(`/v1/runs/${run_id}`)).body.events;

/** What each node would have done, by stage. */
function verdicts(events: readonly Event[], stage: string): Record<string, string | undefined> {
  const observed = events.filter((event) => event.event_type === 'observed' && event.stage === stage);
  return Object.fromEntries(observed.map(({ node, data }) => [node, data.verdict]));
}
const WOULD = { masks: 'sanitize', pauses: 'require_approval', judgesLate: 'block', judgesWhole: 'block' };

describe('a route whose guards only observe', () => {
  it('sends the same request and gives the same answer as one without guards', async () => {
    upstream.respond(raw(200, JSON_HEADERS, JSON.stringify(ODD_ANSWER)), raw(200, JSON_HEADERS, JSON.stringify(ODD_ANSWER)));
    const ask = async (model: string) => {
      const { status, body, headers } = await gateway.post('/v1/chat/completions', { ...REQUEST, model });
      return { status, body: common(body), sent: upstream.requests.at(-1)?.text, run_id: headers.get('x-svc-run-id') };
    };
    const [plain, watched] = [await ask('plain'), await ask('watched')];
    expect(watched).toEqual({ ...plain, run_id: expect.any(String) });
    expect(plain.body).toMatchObject({ unknown_field: { of: 'tomorrow' } });
    const events = await eventsOf(watched.run_id);
    expect(verdicts(events, 'ingress')).toEqual({ ...WOULD, spends: 'block', region: 'allow' });
    expect(verdicts(events, 'execute')).toEqual({ region: 'block' });
    expect(verdicts(events, 'egress')).toEqual({ ...WOULD, spends: 'allow' });
    expect(events.filter(({ event_type }) => event_type === 'verdict')).toEqual([]);
  });

  it('sends the same frames of a stream', async () => {
    const chunks = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'an ', unknown_part: 'kept' }, { logprobs: { content: [] } }),
      chunk({ content: 'answer' }),
      chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{ "a"' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ' :1}' } }] }),
      chunk({}, { finish_reason: 'stop' }),
      usageChunk(3, 4),
    ];
    upstream.respond(framesOf(chunks), framesOf(chunks));
    const ask = async (model: string) => {
      const reader = await StreamReader.ask(gateway, 'hello', { model, stream_options: { include_usage: true } });
      return { frames: (await reader.rest()).map((frame) => common(frame as JsonObject)), run_id: reader.run_id };
    };
    const [plain, watched] = [await ask('plain'), await ask('watched')];
    expect(watched.frames).toEqual(plain.frames);
    expect(JSON.stringify(plain.frames)).toContain('unknown_part');
    const events = await eventsOf(watched.run_id);
    expect(verdicts(events, 'egress')).toEqual({ ...WOULD, spends: 'allow' });
    const seen = events.filter(({ event_type, stage }) => event_type === 'observed' && stage === 'egress');
    expect(new Set(seen.map(({ data }) => data.scanned?.segments)).size).toBe(1);
  });

  it('sends each piece as it arrives, whatever the guards need', async () => {
    const live = liveStream();
    upstream.respond(live.behaviour);
    const reading = StreamReader.ask(gateway, 'hello', { model: 'watched' });
    await live.send(chunk({ content: 'first' }));
    const reader = await reading;
    expect((await reader.next())?.choices[0]?.delta.content).toBe('first');
    await live.send(chunk({ content: ' second' }));
    expect((await reader.next())?.choices[0]?.delta.content).toBe(' second');
    await live.send(chunk({}, { finish_reason: 'stop' }));
    live.end();
    await reader.rest();
    expect(reader.done).toBe(true);
  });

  it('tries the same fallbacks', async () => {
    upstream.respond(failure(503));
    const { status, headers } = await gateway.chat('hello', { model: 'watched' });
    expect(status).toBe(200);
    const events = await eventsOf(headers.get('x-svc-run-id'));
    expect(events.filter(({ node, stage }) => node === 'region' && stage === 'execute')).toHaveLength(2);
  });

  it('accepts tool calls that no guard could read, and records this', async () => {
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: deep } }],
    };
    const messages = [{ role: 'user', content: 'hello' }, call, { role: 'tool', tool_call_id: 'c', content: 'x' }];
    const { status, headers } = await gateway.post('/v1/chat/completions', { model: 'watched', messages });
    expect(status).toBe(200);
    const events = await eventsOf(headers.get('x-svc-run-id'));
    expect(events.filter(({ data }) => data.code === 'SVC-REQ-001').map(({ event_type, node }) => [event_type, node])).toEqual(
      Object.keys(INGRESS).map((node) => ['observed', node]),
    );
  });

  it('counts its verdicts in the metrics', async () => {
    const { text } = await gateway.get('/metrics', null);
    for (const [node, verdict] of Object.entries(WOULD)) {
      for (const stage of ['ingress', 'egress']) {
        expect(text).toMatch(
          new RegExp(`^svc_verdicts_total\\{node="${node}",stage="${stage}",verdict="${verdict}",observed="true"\\} [1-9]`, 'm'),
        );
      }
    }
    expect(text).toMatch(/svc_verdicts_total\{node="region",stage="execute",verdict="block",observed="true"\} [1-9]/);
    expect(text).not.toContain('observed="false"');
    expect(text).not.toMatch(/svc_runs_total\{route="watched",status="(blocked|paused|denied)"\}/);
  });
});
