import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fakePluginDeps } from '@svc/sdk/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { UpstreamClient } from './client.ts';
import type { SseEvent } from './sse.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

/** A server that answers each request, on any connection, with the next of these behaviours, and its client. */
async function scene(...meets: ((socket: Socket) => void)[]) {
  const met: number[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const number = connections;
    socket.on('error', () => undefined);
    socket.on('data', () => {
      met.push(number);
      meets[met.length - 1]?.(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new UpstreamClient(
    { origin, path: '/', headers: {} },
    { connections: 1, max_response_bytes: 10_000 },
    fakePluginDeps(),
  );
  closing.push(
    () => client.close(),
    () => server.close(),
  );
  const onReconnect = vi.fn();
  const context = { run_id: 'r', attempt: 1, signal: new AbortController().signal, timeout_ms: 10_000, onReconnect };
  return { met, client, context, onReconnect, stopServer: () => server.close() };
}
const answered = (socket: Socket): void => void socket.write(OK);
const reset = (socket: Socket): void => void socket.resetAndDestroy();
const ended = (socket: Socket): void => void socket.end();
const cut = (socket: Socket): void => void socket.end('HTTP/1.1 200 O');
const garbled = (socket: Socket): void =>
  void socket.write(OK.replace('content-type', 'content-encoding: unknown\r\ncontent-type'));
const lost = { kind: 'unavailable', cost: 'unknown' };
const NO_EVENTS = { take: (_: SseEvent) => [], isEnded: false, end: () => undefined };

it.each([
  ['reset', reset],
  ['closed', ended],
])('a reused connection that is %s before an answer is replaced by a new one', async (_how, breaks) => {
  const { met, client, context, onReconnect } = await scene(answered, breaks, answered);
  await client.whole('{}', context);
  expect(await client.whole('{}', context)).toBe('{}');
  expect(met).toEqual([1, 1, 2]);
  expect(onReconnect).toHaveBeenCalledOnce();
});

it('a stream that gets such a connection begins on a new one', async () => {
  const begun = (socket: Socket): void =>
    void socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {}\n\n');
  const { met, client, context, onReconnect } = await scene(answered, reset, begun);
  await client.whole('{}', context);
  const chunks = await client.stream('{}', context, NO_EVENTS);
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
  expect(met).toEqual([1, 1, 2]);
  expect(onReconnect).toHaveBeenCalledOnce();
});

it.each([
  ['a new one', [reset], [1]],
  ['a reused one after some bytes', [answered, cut], [1, 1]],
  ['a reused one and then the new one', [answered, reset, reset], [1, 1, 2]],
])('nothing is sent again on the loss of %s', async (_of, meets, requests) => {
  const { met, client, context } = await scene(...meets);
  if (meets[0] === answered) await client.whole('{}', context);
  await expect(client.whole('{}', context)).rejects.toMatchObject(lost);
  expect(met).toEqual(requests);
});

it('the failure of an answer to the repeat is reported', async () => {
  const { client, context } = await scene(answered, reset, garbled);
  await client.whole('{}', context);
  await expect(client.whole('{}', context)).rejects.toMatchObject({ kind: 'malformed' });
});

it('a repeat that cannot be sent leaves the cost of the first request unknown', async () => {
  let stop = (): unknown => undefined;
  const { client, context, stopServer } = await scene(answered, (socket) => {
    stop();
    reset(socket);
  });
  stop = stopServer;
  await client.whole('{}', context);
  await expect(client.whole('{}', context)).rejects.toMatchObject(lost);
});

it('nothing is sent again if the request may have been processed before the loss', async () => {
  const { met, client, context, onReconnect } = await scene(answered, (socket) => {
    const late = performance.now() + 1_000;
    vi.spyOn(performance, 'now').mockReturnValue(late);
    reset(socket);
  });
  await client.whole('{}', context);
  await expect(client.whole('{}', context)).rejects.toMatchObject(lost);
  expect(met).toEqual([1, 1]);
  expect(onReconnect).not.toHaveBeenCalled();
});
