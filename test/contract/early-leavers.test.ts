import { once } from 'node:events';
import { connect } from 'node:net';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

/** So large that reading it leaves others a turn, in which its caller may go. */
const TEXT = 'word '.repeat(60_000);
const CALLERS = 60;

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  // It never answers: a run whose caller is not missed would not end.
  upstream = await startUpstream(() => undefined);
  const providers = { upstream: { type: 'openai', base_url: upstream.url } };
  const routes = { default: { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['mask'], egress: ['mask'] } } };
  gateway = await TestGateway.start({ config: echoConfig({ providers, routes }) });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** Sends a whole request, and is gone. */
async function leaves(path: string, body: JsonObject): Promise<void> {
  const { hostname, port } = new URL(gateway.url);
  const text = JSON.stringify(body);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${gateway.key('alice')}`,
    'content-type: application/json',
    `content-length: ${text.length}`,
  ];
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${text}`, resolve));
  socket.destroy();
}

const messages = [{ role: 'user', content: TEXT }];

it.each<[string, JsonObject]>([
  ['/v1/chat/completions', { model: 'default', messages }],
  ['/v1/chat/completions', { model: 'default', messages, stream: true }],
  ['/v1/messages', { model: 'default', max_tokens: 5, messages }],
  ['/v1/responses', { model: 'default', input: TEXT }],
  ['/v1/embeddings', { model: 'default', input: TEXT }],
])('%s: callers who disconnect while a large body is read are noticed, and hold no memory', async (path, body) => {
  const since = new Date().toISOString();
  await Promise.all(Array.from({ length: CALLERS }, () => leaves(path, body)));
  const runsSince = async () => (await gateway.get(`/v1/audit?since=${since}`)).body.runs;
  await until(async () => {
    const runs: { status: string }[] = await runsSince();
    const { text } = await gateway.request('GET', '/metrics');
    return runs.length > 0 && runs.every(({ status }) => status !== 'running') && /^svc_bytes_in_flight 0$/m.test(text);
  });
  for (const { status, events } of await runsSince()) {
    expect(status).toBe('error');
    expect(events.map(({ event_type }: { event_type: string }) => event_type)).toContain('disconnected');
  }
  await Promise.all(upstream.requests.map(({ disconnected }) => disconnected));
});
