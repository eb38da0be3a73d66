import type { ServerResponse } from 'node:http';
import type { ChatCompletion } from '@svc/contracts';
import { chunksOf, completionOf } from './echoed.ts';
import type { Behaviour } from './server.ts';

export const JSON_HEADERS = { 'content-type': 'application/json' };
export const SSE_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Stands in every error and rubbish answer: a test can prove that an upstream's text goes nowhere. */
export const UPSTREAM_MARKER = 'UPSTREAM-TEXT-MARKER';

/** Writes and waits until the socket has taken it. Resolves to false once the client is gone. */
export function send(response: ServerResponse, piece: string | Uint8Array): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const gone = () => resolve(false);
    response.once('close', gone);
    response.write(piece, (error) => {
      response.off('close', gone);
      resolve(!error);
    });
  });
}

/** One server-sent event: JSON, or a string as it is. */
export function sseFrame(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Answers with exactly this. */
export function raw(status: number, headers: Record<string, string>, body: string | Uint8Array = ''): Behaviour {
  return (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
}

function streamAsked(body: unknown): { stream: boolean; usage: boolean } {
  const asked = typeof body === 'object' && body !== null ? body : {};
  const options = 'stream_options' in asked ? asked.stream_options : undefined;
  return {
    stream: 'stream' in asked && asked.stream === true,
    usage: typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true,
  };
}

/** Answers as a model would, streamed if asked so: with an echo, with this text, or with this completion. */
export function answer(content?: string | ChatCompletion): Behaviour {
  return async (request, response) => {
    const completion = typeof content === 'object' ? content : completionOf(request.body, content);
    const asked = streamAsked(request.body);
    if (asked.stream) await frames(chunksOf(completion, asked.usage))(request, response);
    else await raw(200, JSON_HEADERS, JSON.stringify(completion))(request, response);
  };
}

/** Streams these events, JSON or strings as they are, then `[DONE]` unless told otherwise. */
export function frames(list: readonly unknown[], options: { done: boolean } = { done: true }): Behaviour {
  return raw(200, SSE_HEADERS, [...list, ...(options.done ? ['[DONE]'] : [])].map(sseFrame).join(''));
}

/** Refuses in OpenAI's error shape; the message holds {@link UPSTREAM_MARKER}. */
export function failure(status: number, headers: Record<string, string> = {}): Behaviour {
  const error = { message: `Refused: ${UPSTREAM_MARKER}`, type: 'invalid_request_error', param: null, code: 'refused' };
  return raw(status, { ...JSON_HEADERS, ...headers }, JSON.stringify({ error }));
}
