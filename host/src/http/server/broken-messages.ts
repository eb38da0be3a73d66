import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SvcError } from '@svc/contracts';
import { unknownCoding } from './http-message-rules.ts';
import { newRequestId } from './request-id.ts';

// Not imported, because importing `node:http` loads Node's fetch, which needs 9 MB of memory.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** The error of Node's parser for invalid HTTP. */
interface ParserError {
  readonly code?: string;
  /** A Buffer, although Fastify's types do not say so. */
  readonly rawPacket?: unknown;
}

/** Answers invalid HTTP with an error and closes the connection. */
export class BrokenMessages {
  /** The latest response of each connection. */
  readonly #responses = new WeakMap<Socket, ServerResponse>();

  watch(server: Server): void {
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#responses.set(socket, response);
    });
    // Node's own error has no body, but the gateway's has one.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  }

  refuse(error: ParserError, socket: Socket): void {
    if (!socket.writable) return;
    const response = this.#responses.get(socket);
    // A response in progress is completed: the invalid bytes came after its request, or its request was refused.
    if (response?.headersSent && !response.closed) response.once('close', () => socket.end());
    else socket.end(messageOf(refusalOf(error)));
  }
}

/** The parser has a single error for unknown transfer codings and for a length together with chunks. */
function refusalOf({ code, rawPacket }: ParserError): SvcError {
  const hasLength = /\r\ncontent-length[\t ]*:/i.test(Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '');
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !hasLength) return unknownCoding();
  return new SvcError('SVC-REQ-001', 'malformed HTTP request');
}

function messageOf({ code, message, status }: SvcError): string {
  const body = JSON.stringify({ code, detail: message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${body.length}`,
    `x-request-id: ${newRequestId()}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
