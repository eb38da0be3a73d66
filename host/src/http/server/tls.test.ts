import { once } from 'node:events';
import { connect, constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { limitRequestTime } from './tls.ts';

it('resets an HTTP/2 request that does not end in time, but not one that waits for its answer', async () => {
  const waiting: (() => unknown)[] = [];
  const server = createServer((request, response) => {
    // The other request was sent first, so it has timed out by now as well.
    if (request.method === 'POST')
      request.once('close', () => {
        for (const answer of waiting) answer();
      });
    else waiting.push(() => response.end('late'));
  });
  limitRequestTime(server, 20);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const whole = session.request({ ':path': '/' });
  const slow = session.request({ ':path': '/', ':method': 'POST' }, { endStream: false });
  slow.on('error', () => undefined).resume();
  await once(slow, 'close');
  expect(slow.rstCode).toBe(constants.NGHTTP2_CANCEL);
  expect(String((await whole.toArray())[0])).toBe('late');
  session.close();
  server.close();
});
