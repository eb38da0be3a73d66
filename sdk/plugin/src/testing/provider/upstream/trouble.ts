import { JSON_HEADERS, raw, SSE_HEADERS, send, UPSTREAM_MARKER } from './answers.ts';
import type { Behaviour } from './behaviour.ts';

/** A behaviour that waits: it receives the request at once, and lets `next` answer when the test calls `release`. */
export function held(next: Behaviour): { behaviour: Behaviour; release: () => void } {
  const gate = Promise.withResolvers<void>();
  return {
    behaviour: async (request, response) => {
      await Promise.race([gate.promise, request.disconnected]);
      if (!response.destroyed) await next(request, response);
    },
    release: () => gate.resolve(),
  };
}

/** Accepts the request and never finishes. Without `part`, sends no headers either. Ends when the client disconnects. */
export function stalled(part?: string, headers: Record<string, string> = JSON_HEADERS): Behaviour {
  return async (request, response) => {
    if (part !== undefined) await send(response.writeHead(200, headers), part);
    await request.disconnected;
  };
}

/** Sends a part of an answer and closes the connection. Without `part`, closes it before the headers. */
export function broken(part?: string, headers: Record<string, string> = JSON_HEADERS): Behaviour {
  return async (_request, response) => {
    if (part !== undefined) await send(response.writeHead(200, headers), part);
    response.destroy();
  };
}

/**
 * Sends pieces, each when the socket has accepted the one before, until there are no more or the client disconnects. A string is sent character by
 * character; a generator may be endless. `sent` counts the pieces sent.
 */
export function dripped(
  pieces: Iterable<string>,
  headers: Record<string, string> = SSE_HEADERS,
): { behaviour: Behaviour; sent: () => number } {
  let sent = 0;
  return {
    behaviour: async (_request, response) => {
      response.writeHead(200, headers);
      for (const piece of pieces) {
        if (!(await send(response, piece))) return;
        sent += 1;
      }
      response.end();
    },
    sent: () => sent,
  };
}

const json = (value: unknown) => raw(200, JSON_HEADERS, typeof value === 'string' ? value : JSON.stringify(value));
const choice = (message: unknown, finish_reason: unknown = 'stop') =>
  json({
    id: UPSTREAM_MARKER,
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason }],
  });

/** Answers with status 200 that are not chat completions, by the name of their defect. */
export const RUBBISH: Readonly<Record<string, Behaviour>> = {
  html: raw(200, { 'content-type': 'text/html' }, `<!doctype html><title>${UPSTREAM_MARKER}</title>`),
  empty: raw(200, JSON_HEADERS),
  'truncated JSON': json(`{"id":"${UPSTREAM_MARKER}","choices":[{"index":0,"mess`),
  'a JSON string': json(`"${UPSTREAM_MARKER}"`),
  'JSON null': json('null'),
  'an array': json([UPSTREAM_MARKER]),
  'an error object': json({ error: { message: UPSTREAM_MARKER, type: 'failure_of_the_upstream' } }),
  'no choices': json({ id: UPSTREAM_MARKER, object: 'chat.completion', created: 1, model: 'm' }),
  'empty choices': json({ id: UPSTREAM_MARKER, object: 'chat.completion', created: 1, model: 'm', choices: [] }),
  'choices not an array': json({ id: UPSTREAM_MARKER, choices: { 0: { message: { role: 'assistant', content: 'x' } } } }),
  'no message': choice(undefined),
  'message a string': choice(UPSTREAM_MARKER),
  'role a number': choice({ role: 1, content: UPSTREAM_MARKER }),
  'content a number': choice({ role: 'assistant', content: 42 }),
  'finish_reason a number': choice({ role: 'assistant', content: UPSTREAM_MARKER }, 7),
  'tool_calls an object': choice({ role: 'assistant', content: null, tool_calls: {} }),
  'arguments a list': choice({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: [UPSTREAM_MARKER] } }],
  }),
};
