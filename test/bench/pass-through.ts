/**
 * The bare pass-through, in a separate process: `node pass-through.ts PORT UPSTREAM_PORT`. It connects node:http to an undici pool, with no checks,
 * parsing or records. This is the upper limit for a gateway built this way.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const [port, upstream] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${upstream}`, { connections: 2048, allowH2: false });

function forward(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const headers = { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' };
  pool.dispatch({ method: 'POST', path: request.url ?? '/', headers, body }, handing(response));
}

function handing(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller) => {
      response.on('drain', () => controller.resume());
      response.on('close', () => {
        if (!response.writableEnded) controller.abort(new Error('the client left'));
      });
    },
    onResponseStart: (_controller, status, headers) => {
      const names = ['content-type', 'content-length'].filter((name) => headers[name] !== undefined);
      response.writeHead(status, Object.fromEntries(names.map((name) => [name, headers[name]])));
    },
    onResponseData: (controller, chunk) => {
      if (!response.write(chunk)) controller.pause();
    },
    onResponseEnd: () => response.end(),
    onResponseError: () => response.destroy(),
  };
}

process.on('disconnect', () => process.exit());
createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => forward(request, response, pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)));
}).listen(port, '127.0.0.1', 4096);
