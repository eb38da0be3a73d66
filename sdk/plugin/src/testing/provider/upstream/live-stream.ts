import type { ServerResponse } from 'node:http';
import { SSE_HEADERS, send, sseFrame } from './answers.ts';
import type { Behaviour } from './behaviour.ts';

/** A streamed answer that a test writes step by step. Every method first waits for the request. */
export interface LiveStream {
  readonly behaviour: Behaviour;
  /** Sends one event (JSON, or a string as it is). Resolves when the socket has accepted it: to true, or to false if the client has disconnected. */
  send(data: unknown): Promise<boolean>;
  /** Sends `[DONE]` and ends the answer. */
  done(): Promise<void>;
  /** Ends the answer properly, without `[DONE]`. */
  end(): Promise<void>;
  /** Breaks the connection. */
  break(): Promise<void>;
}

export function liveStream(): LiveStream {
  const started = Promise.withResolvers<ServerResponse>();
  return {
    behaviour: (_request, response) => {
      response.writeHead(200, SSE_HEADERS).flushHeaders();
      started.resolve(response);
    },
    send: async (data) => send(await started.promise, sseFrame(data)),
    done: async () => void (await started.promise).end(sseFrame('[DONE]')),
    end: async () => void (await started.promise).end(),
    break: async () => void (await started.promise).destroy(),
  };
}
