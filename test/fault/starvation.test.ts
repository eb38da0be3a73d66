import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { LONG } from './form.ts';

const BODY_BYTES = 4_000_000;
/** Together they announce as much as the bound, and send nearly all of it before they stall. */
const SENDERS = 4;
const STALLED_BYTES = 3_900_000;
const IDLE_SENDERS = 4 * SENDERS;
const MAX_ATTEMPTS = 10;
const KEYS = Array.from({ length: IDLE_SENDERS }, (_, n) => `sender-${n}`);

let gateway: TestGateway;
const sockets: Socket[] = [];
beforeAll(async () => {
  gateway = await TestGateway.start({
    config: echoConfig({
      server: { body_limit_bytes: 4_194_304, max_bytes_in_flight: 16_777_216 },
      routes: { open: { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [] } } },
    }),
    principals: ['victim', ...KEYS].map((principal_id) => ({ principal_id })),
  });
});
afterAll(() => gateway.dispose());
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await untilInFlight((bytes) => bytes === 0);
});

async function inFlight(): Promise<number> {
  const { text } = await gateway.get('/metrics', null);
  return Number(/^svc_bytes_in_flight (\S+)$/m.exec(text)?.[1]);
}

async function untilInFlight(isReached: (bytes: number) => boolean): Promise<void> {
  await until(async () => isReached(await inFlight()));
}

/** A connection that announces a body and sends this much of it. */
async function begin(key: string, framing: Framing, bytes: number): Promise<Socket> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).resume();
  sockets.push(socket);
  await once(socket, 'connect');
  const announced = framing === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${BODY_BYTES}`;
  const fields = ['Host: x', `Authorization: Bearer ${key}`, 'Content-Type: application/json', announced];
  socket.write(['POST /v1/chat/completions HTTP/1.1', ...fields, '', ''].join('\r\n'));
  if (bytes > 0) socket.write(piece(framing, bytes));
  return socket;
}

type Framing = 'with a length' | 'chunked';

function piece(framing: Framing, bytes: number): string {
  const text = ' '.repeat(bytes);
  return framing === 'chunked' ? `${bytes.toString(16)}\r\n${text}\r\n` : text;
}

/** Asks as a client does: again after `Retry-After`, a few times. */
async function served(principal: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const { status, headers } = await gateway.chat('x'.repeat(BODY_BYTES - 1_000), { principal, model: 'open' });
    if (status !== 503 || attempt === MAX_ATTEMPTS) return status;
    await wait(Number(headers.get('retry-after')) * 1_000);
  }
}

const WHOSE = [
  ['the key of the caller', () => gateway.key('victim')],
  ['one other key', () => gateway.key('sender-0')],
  ['a key each', (n: number) => gateway.key(`sender-${n}`)],
] as const;

describe.each<Framing>(['with a length', 'chunked'])('bodies %s', (framing) => {
  describe.each(WHOSE)('of %s', (_name, keyOf) => {
    it('that are announced but never arrive reserve no memory', async () => {
      for (let n = 0; n < IDLE_SENDERS; n++) await begin(keyOf(n), framing, 0);
      expect(await inFlight()).toBe(0);
      expect((await gateway.chat('x'.repeat(BODY_BYTES - 1_000), { principal: 'victim', model: 'open' })).status).toBe(200);
    });

    it('that stall reserve memory for as long as Retry-After says', async () => {
      for (let n = 0; n < SENDERS; n++) await begin(keyOf(n), framing, STALLED_BYTES);
      await untilInFlight((bytes) => bytes >= SENDERS * STALLED_BYTES);
      expect(await served('victim')).toBe(200);
    });

    it('that arrive slowly hold no more memory', async () => {
      const senders = await Promise.all(Array.from({ length: SENDERS }, (_, n) => begin(keyOf(n), framing, STALLED_BYTES)));
      const trickle = setInterval(() => {
        for (const sender of senders) if (sender.writable) sender.write(piece(framing, 100));
      }, 20);
      try {
        await untilInFlight((bytes) => bytes >= SENDERS * STALLED_BYTES);
        expect(await served('victim')).toBe(200);
      } finally {
        clearInterval(trickle);
      }
    });
  });

  it('of unauthenticated clients hold no memory', async () => {
    const senders = await Promise.all(
      Array.from({ length: SENDERS }, () => begin(`svc-${'0'.repeat(64)}`, framing, STALLED_BYTES)),
    );
    await Promise.all(senders.map((sender) => once(sender, 'data')));
    expect(await inFlight()).toBe(0);
    expect((await gateway.chat('x'.repeat(BODY_BYTES - 1_000), { principal: 'victim', model: 'open' })).status).toBe(200);
  });
});

describe('answers to callers that are still sending', () => {
  /** Sends a whole body whatever comes, and reads what comes. */
  async function insist(fields: readonly string[], bytes: number, announced = bytes): Promise<string> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    const closed = once(socket, 'close');
    const all = ['Host: x', 'Content-Type: application/json', `Content-Length: ${announced}`, 'Connection: close', ...fields];
    socket.write(['POST /v1/chat/completions HTTP/1.1', ...all, '', ''].join('\r\n'));
    for (let sent = 0; sent < bytes; sent += 100_000) {
      if (!socket.write(' '.repeat(Math.min(100_000, bytes - sent)))) await Promise.race([once(socket, 'drain'), closed]);
    }
    await closed;
    return text;
  }

  const victim = (): string => `Authorization: Bearer ${gateway.key('victim')}`;
  it.each([
    ['503', 'for want of room', () => [victim()], BODY_BYTES],
    // All are heard out in the same five seconds, so that a slow machine needs shorter ones.
    ['413', 'for its length', () => [victim()], LONG ? 3 * BODY_BYTES : BODY_BYTES + 300_000],
    ['401', 'without a key', () => [], BODY_BYTES],
    ['415', 'for its type', () => [victim(), 'Content-Encoding: compress'], BODY_BYTES],
  ])('%s %s is answered to each of 50 on an intact connection', async (status, _why, fields, bytes) => {
    // Bodies that come all the time fill the room.
    const answers = await Promise.all(Array.from({ length: 50 }, () => insist(fields(), bytes)));
    for (const text of answers) expect(text).toMatch(/^HTTP\/1\.1 \d{3} [\s\S]*\r\n\r\n\{.*\}$/);
    expect(answers.some((text) => text.startsWith(`HTTP/1.1 ${status}`))).toBe(true);
  });

  it('a body that never ends is read for a limited time', async () => {
    expect(await insist([], 1, BODY_BYTES)).toMatch(/^HTTP\/1\.1 401 [\s\S]*\}$/);
  });
});
