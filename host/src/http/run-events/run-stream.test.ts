import { EventEmitter } from 'node:events';
import type { PausedChange } from '@svc/runtime';
import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import type { Principal } from '../key-ring.ts';
import { RunStream } from './run-stream.ts';

const CHANGE = { change: 'waiting', run: { row: { route: 'default' }, events: '[]' } } as unknown as PausedChange;

/** A stream to a client that has not read this many bytes. */
function scene() {
  const lines: object[] = [];
  const written: string[] = [];
  const raw = Object.assign(new EventEmitter(), {
    closed: false,
    destroyed: false,
    writableEnded: false,
    writableLength: 0,
    writeHead: () => undefined,
    write: (text: string) => void written.push(text),
    end: () => raw.emit('close'),
    destroy: () => {
      raw.destroyed = true;
      raw.emit('close');
    },
  });
  const line = (fields: object): void => void lines.push(fields);
  const reply = { raw, log: { info: line, warn: line }, headers: () => reply, hijack: () => reply, getHeaders: () => ({}) };
  const state = { isValid: true };
  const stream = new RunStream(reply as unknown as FastifyReply, { routes: ['other'] } as unknown as Principal, {
    stored: {} as never,
    withGroups: ((principal: Principal) => principal) as never,
    assertStill: (async () => {
      if (!state.isValid) throw new RangeError('secret');
    }) as never,
    keep_alive_ms: 0,
  });
  stream.begin();
  return { stream, raw, written, lines, state };
}

it('disconnects a client that does not read, and logs it', async () => {
  const { stream, raw, written, lines } = scene();
  raw.writableLength = 1_048_576;
  await stream.send([]);
  expect([raw.destroyed, written.length]).toEqual([false, 2]);
  raw.writableLength += 1;
  await stream.send([]);
  await stream.closed;
  expect([raw.destroyed, written.length]).toEqual([true, 2]);
  expect(lines).toEqual([{ event: 'run_events_cut', reason: 'unread' }]);
});

it('shows no change of a route that the caller may not see', async () => {
  const { stream, written } = scene();
  await stream.send([CHANGE]);
  expect(written.join('')).not.toContain('waiting');
});

it('ends when the caller has lost its access, and logs no message', async () => {
  const { stream, written, lines, state } = scene();
  state.isValid = false;
  await stream.send([]);
  await stream.closed;
  expect(written).toHaveLength(1);
  expect(lines).toEqual([{ event: 'run_events_ended', reason: 'RangeError' }]);
});
