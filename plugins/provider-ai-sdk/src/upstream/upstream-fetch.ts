import { type PluginDeps, ProviderError } from '@svc/sdk';
import { type ConnectionOptions, failureOf, inStreamPieces, Network, reportRequestId } from '@svc/toolkit/upstream';
import { type Agent, fetch, Headers, type RequestInfo, type RequestInit, Response } from 'undici';
import { currentCall } from '../call/call.ts';
import { bodyCheck } from './counted-body.ts';
import { refusalOfResponse } from './refusal.ts';

/** undici reports a broken connection as the cause of a plain TypeError. */
function causeOf(error: unknown): unknown {
  return error instanceof TypeError && error.cause !== undefined ? error.cause : error;
}

async function* checked(
  body: AsyncIterable<Uint8Array>,
  check: (bytes: Uint8Array) => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const bytes of body) {
      check(bytes);
      yield bytes;
    }
  } catch (error) {
    throw failureOf(causeOf(error), signal);
  }
}

function isHttp(input: RequestInfo): boolean {
  const url = URL.parse(input instanceof Object && 'url' in input ? input.url : String(input));
  return url !== null && /^https?:$/.test(url.protocol);
}

/** Requests an uncompressed answer. A compressed one would still be decoded. */
function headersOf(input: RequestInfo, { headers }: RequestInit): Headers {
  const asked = new Headers(headers ?? (input instanceof Object && 'headers' in input ? input.headers : undefined));
  asked.set('accept-encoding', 'identity');
  return asked;
}

/**
 * The `fetch` for a package. It guarantees what packages do not: refusals and broken connections become a {@link ProviderError} without the
 * upstream's text, answers are limited in size, redirects are not followed, and leaving a call closes its connection.
 */
export class UpstreamFetch {
  readonly #options: ConnectionOptions;
  readonly #network: Network;
  readonly #clock: PluginDeps['clock'];
  #agent: Agent | undefined;

  constructor(options: ConnectionOptions, deps: PluginDeps) {
    this.#options = options;
    this.#network = new Network(options, deps);
    this.#clock = deps.clock;
  }

  readonly fetch = async (input: RequestInfo, init: RequestInit = {}): Promise<Response> => {
    const call = currentCall.getStore();
    const signals = [init.signal, call?.signal].filter((signal) => signal != null);
    const signal = AbortSignal.any(signals);
    if (!isHttp(input)) throw new ProviderError('configuration', { cost: 'none' });
    if (call !== undefined) call.sent = true;
    const headers = headersOf(input, init);
    let answer: Response;
    try {
      answer = await fetch(input, { ...init, headers, signal, redirect: 'manual', dispatcher: this.#connections() });
    } catch (error) {
      throw failureOf(causeOf(error), signal);
    }
    const { status, statusText, body, ok } = answer;
    if (call !== undefined) reportRequestId(Object.fromEntries(answer.headers), call.context);
    if (!ok) throw await refusalOfResponse(answer, this.#clock.now());
    if (body === null) return answer;
    const check = bodyCheck(answer.headers.get('content-type') ?? '', this.#options.max_response_bytes, call);
    // A package parses each piece at once, and a single piece of a stream could contain thousands of events.
    const pieces = call?.streamed === true ? inStreamPieces(body) : body;
    return new Response(ReadableStream.from(checked(pieces, check, signal)), { status, statusText, headers: answer.headers });
  };

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }

  #connections(): Agent {
    // The call's signal enforces the timeout. undici's own timeout of 300 s would cut off longer calls.
    const { connections } = this.#options;
    this.#agent ??= this.#network.agent({ connections, headersTimeout: 0, bodyTimeout: 0 });
    return this.#agent;
  }
}
