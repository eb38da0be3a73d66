import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Behaviour, behaviours, startUpstream, type Upstream } from '@svc/sdk/testing';

import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const { SSE_HEADERS, sseFrame } = behaviours;

const SLOW_SENDERS = 1_900;
const SLOW_READERS = 100;
const OTHERS = 200;

let upstream: Upstream;
let gateway: TestGateway;
const sockets: Socket[] = [];
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({
    config: echoConfig({
      providers: { upstream: { type: 'openai', base_url: upstream.url, connections: SLOW_READERS } },
      routes: { endless: { provider: 'upstream', model: 'm', pipeline: { ingress: [], egress: [] } } },
    }),
  });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.dispose();
  await upstream.close();
});

async function open(text: string): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

function head(length: number): string {
  const fields = ['Host: x', `Authorization: Bearer ${gateway.key('alice')}`, 'Content-Type: application/json'];
  return ['POST /v1/chat/completions HTTP/1.1', ...fields, `Content-Length: ${length}`, '', ''].join('\r\n');
}

/** Writes on and on; `full` when its connection takes no more for a while: the gateway has stopped reading. */
function endless(piece: string): { behaviour: Behaviour; full: Promise<void> } {
  const { promise: full, resolve } = Promise.withResolvers<void>();
  const behaviour = (_request: unknown, response: ServerResponse): void => {
    let stalled: NodeJS.Timeout | undefined;
    const writeOn = (): void => {
      clearTimeout(stalled);
      while (!response.destroyed && response.write(piece));
      stalled = setTimeout(resolve, 500);
    };
    response.writeHead(200, SSE_HEADERS).on('drain', writeOn);
    response.once('close', () => clearTimeout(stalled));
    writeOn();
  };
  return { behaviour, full };
}

it(`${SLOW_SENDERS + SLOW_READERS} slow clients do not stop the others`, async () => {
  // Half of a head, a head without its body, and a body that does not go on.
  const halves = ['POST /v1/chat/completions HTTP/1.1\r\nHos', head(100), `${head(100)}{"model":"default",`];
  for (let i = 0; i < SLOW_SENDERS; i += 1) await open(halves[i % halves.length] ?? '');

  const piece = sseFrame({ choices: [{ index: 0, delta: { content: 'x'.repeat(16_384) } }] });
  const held = Array.from({ length: SLOW_READERS }, () => endless(piece));
  upstream.respond(...held.map(({ behaviour }) => behaviour));
  const body = JSON.stringify({ model: 'endless', stream: true, messages: [{ role: 'user', content: 'go on' }] });
  for (let i = 0; i < SLOW_READERS; i += 1) (await open(head(body.length) + body)).pause();
  await Promise.all(held.map(({ full }) => full));

  const answers = await Promise.all(
    Array.from({ length: OTHERS }, (_, i) => gateway.chat(`hello ${i}`, { stream: i % 2 === 0 })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect((await gateway.get('/v1/health')).body.status).toBe('ok');
}, 120_000);
