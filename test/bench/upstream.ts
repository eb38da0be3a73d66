/**
 * The model server of the bench, in a separate process: `node upstream.ts PORT`. It supports just enough HTTP to send fixed bytes with little work,
 * so that the figures are those of the target. Its parent can ask for the number of open answers (`open`), and for the calls since the last
 * question, by the number in their text (`calls`).
 */
import { createServer, type Socket } from 'node:net';
import { setTimeout as delayed } from 'node:timers/promises';
import { shapeOf, wholeAnswer } from './answers.ts';
import { callIn } from './calls.ts';
import { type Protocol, protocolAt } from './protocols.ts';
import { type Pieces, streamOf } from './stream-answers.ts';

interface Asked {
  readonly asked: 'open' | 'calls';
}

let open = 0;
const calls = new Set<number>();

async function answer(socket: Socket, protocol: Protocol, body: string): Promise<void> {
  const { chunks, delay } = shapeOf(body);
  const streamed = /"stream": ?true/.test(body);
  const call = callIn(body);
  if (call !== null) calls.add(call);
  open += 1;
  try {
    if (streamed) await stream(socket, streamOf(protocol, chunks, /"include_usage": ?true/.test(body)), delay);
    else {
      if (delay > 0) await delayed(chunks * delay);
      socket.write(wholeAnswer(chunks));
    }
  } finally {
    open -= 1;
  }
}

async function stream(socket: Socket, { start, deltas, end }: Pieces, delay: number): Promise<void> {
  socket.write(start);
  for (const delta of deltas) {
    if (socket.destroyed) break;
    if (delay > 0) await delayed(delay);
    socket.write(delta);
  }
  socket.write(end);
}

function serve(socket: Socket): void {
  let held: Buffer | undefined;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (data: Buffer) => {
    const bytes = held === undefined ? data : Buffer.concat([held, data]);
    held = bytes;
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
    if (length === undefined) {
      socket.end('HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const whole = end + 4 + Number(length);
    if (bytes.length < whole) return;
    held = undefined;
    const path = bytes.toString('latin1', 0, end).split(' ', 2)[1] ?? '';
    void answer(socket, protocolAt(path), bytes.toString('latin1', end + 4, whole));
  });
}

process.on('message', ({ asked }: Asked) => {
  process.send?.(asked === 'open' ? open : [...calls]);
  if (asked === 'calls') calls.clear();
});
process.on('disconnect', () => process.exit());
createServer(serve).listen(Number(process.argv[2]), '127.0.0.1', 4096);
