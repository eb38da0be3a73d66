import type { ServerResponse } from 'node:http';
import type { ChatCompletion } from '@svc/contracts';
import type { Behaviour } from './behaviour.ts';
import { chunksOf, completionOf } from './echoed.ts';

export const JSON_HEADERS = { 'content-type': 'application/json' };
export const SSE_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** Contained in every error and malformed answer, so that a test can prove that an upstream's text is not passed on. */
export const UPSTREAM_MARKER = 'UPSTREAM-TEXT-MARKER';

/** Writes a piece, and waits until the socket has accepted it. Resolves to false if the client has disconnected. */
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

/** One server-sent event with JSON, or with a string as it is. */
export function sseFrame(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Answers with exactly these bytes. */
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

/** Answers like a model, streamed if requested: with an echo, this text, or this completion. */
export function answer(content?: string | ChatCompletion): Behaviour {
  return async (request, response) => {
    const completion = typeof content === 'object' ? content : completionOf(request.body, content);
    const asked = streamAsked(request.body);
    if (asked.stream) await frames(chunksOf(completion, asked.usage))(request, response);
    else await raw(200, JSON_HEADERS, JSON.stringify(completion))(request, response);
  };
}

/** Streams these events (JSON, or strings as they are), then `[DONE]` unless disabled. */
export function frames(list: readonly unknown[], options: { done: boolean } = { done: true }): Behaviour {
  return raw(200, SSE_HEADERS, [...list, ...(options.done ? ['[DONE]'] : [])].map(sseFrame).join(''));
}

/** Fails in OpenAI's error shape. The message contains {@link UPSTREAM_MARKER}. */
export function failure(status: number, headers: Record<string, string> = {}): Behaviour {
  const error = { message: `Refused: ${UPSTREAM_MARKER}`, type: 'refusal_of_the_upstream', param: null, code: 'refused' };
  return raw(status, { ...JSON_HEADERS, ...headers }, JSON.stringify({ error }));
}
