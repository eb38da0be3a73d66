import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { errorName, type Logger } from '@svc/contracts';
import type { Cosigner } from './cosigner.ts';
import { originHash, type WitnessState } from './witness-state.ts';

// Not imported, because importing `node:http` loads Node's fetch, which needs 9 MB of memory.
const { createServer } = process.getBuiltinModule('node:http');

/** A request has at most 63 hashes and a checkpoint with its signatures. */
const MAX_BYTES = 65_536;
const TIMEOUT_MS = 10_000;
const PLAIN = 'text/plain; charset=utf-8';

interface Parts {
  readonly cosigner: Cosigner;
  readonly state: WitnessState;
  /** The origins of the known logs. */
  readonly origins: readonly string[];
  readonly logger: Logger;
}

/** The HTTP interface of a witness: `POST /add-checkpoint`, and `GET /<origin hash>/checkpoint` for monitors. */
export function witnessServer(parts: Parts): Server {
  const server = createServer({ requestTimeout: TIMEOUT_MS }, (request, response) => {
    answer(request, response, parts).catch((error: unknown) => {
      parts.logger.error({ event: 'witness_request_failed', reason: errorName(error) });
      if (response.headersSent) response.destroy();
      else send(response, 500, PLAIN, 'the witness cannot read or write its state\n');
    });
  });
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { cosigner, state, origins, logger }: Parts,
): Promise<void> {
  const { method, url = '' } = request;
  const [, hash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(url) ?? [];
  if (method === 'GET' && hash !== undefined) {
    const origin = origins.find((known) => originHash(known) === hash);
    const note = origin === undefined ? null : await state.read(origin);
    return note === null
      ? send(response, 404, PLAIN, 'no checkpoint of this log was cosigned\n')
      : send(response, 200, PLAIN, note);
  }
  if (url !== '/add-checkpoint') return send(response, 404, PLAIN, 'no such path\n');
  if (method !== 'POST') return send(response, 405, PLAIN, 'send a POST\n');
  const body = await bodyOf(request);
  if (body === null) return send(response, 413, PLAIN, 'the request is too large\n');
  const { status, type, text } = await cosigner.add(body);
  // The log may have signed a fork.
  if (status === 422) logger.warn({ event: 'witness_refused' }, text.trimEnd());
  send(response, status, type, text);
}

/** Null: too large. The rest is not read, but the connection stays open for the answer. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += (part as Buffer).length;
    if (bytes > MAX_BYTES) return null;
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString();
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
