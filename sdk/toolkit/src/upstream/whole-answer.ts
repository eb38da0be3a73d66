import { type CallContext, JSON_VALUE_BYTES, JsonCounter, type JsonLimits } from '@svc/contracts';
import type { Dispatcher } from 'undici';
import { isOk, tooMuchJson } from './failures.ts';
import { REFUSAL_BYTES, REFUSAL_MS } from './refusal.ts';

export interface WholeAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Of a status other than 2xx: its beginning. */
  readonly text: string;
}

const UTF8 = new TextDecoder();

/**
 * Makes one call and gathers its answer. undici's own `request` builds a stream for every body, which costs as much again as the
 * exchange itself. `context.onBuffered` is told how much has come. Rejects as soon as the signal aborts, also while the call waits for a free
 * connection. What the answer holds of JSON is counted as it comes, so that reading stops at the limit.
 */
export function wholeAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { signal, onBuffered }: Pick<CallContext, 'signal' | 'onBuffered'>,
  limits?: JsonLimits,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    let started: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: WholeAnswer['headers'] = {};
    let late: NodeJS.Timeout | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const counter = new JsonCounter(limits);
    counter.begin();
    const giveUp = (reason: Error): void => started?.abort(reason);
    const abort = (): void => {
      giveUp(signal.reason);
      reject(signal.reason);
    };
    const end = (): void => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
    };
    const answer = (): WholeAnswer => {
      const [only = Buffer.alloc(0), ...more] = chunks;
      return { status, headers, text: UTF8.decode(more.length === 0 ? only : Buffer.concat(chunks)) };
    };
    signal.addEventListener('abort', abort, { once: true });
    dispatcher.dispatch(options, {
      onRequestStart(controller) {
        started = controller;
        if (signal.aborted) giveUp(signal.reason);
      },
      onResponseStart(_controller, code, fields) {
        // 1xx answers come before the one that counts.
        if (code < 200) return;
        status = code;
        headers = fields;
        if (isOk(status)) return;
        late = setTimeout(() => giveUp(new Error('a refusal that does not end')), REFUSAL_MS);
      },
      onResponseData(_controller, chunk) {
        if (!isOk(status) && bytes > REFUSAL_BYTES) return;
        chunks.push(chunk);
        bytes += chunk.length;
        if (!isOk(status)) return;
        const excess = counter.push(chunk);
        // Many small values are more than their bytes.
        onBuffered?.(Math.max(bytes, counter.values * JSON_VALUE_BYTES));
        if (excess !== null) giveUp(tooMuchJson(excess));
      },
      onResponseEnd() {
        end();
        resolve(answer());
      },
      onResponseError(_controller, error) {
        end();
        // What a refusal says beside its status is not needed.
        if (status !== 0 && !isOk(status) && !signal.aborted) resolve(answer());
        else reject(error);
      },
    });
  });
}
