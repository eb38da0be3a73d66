/**
 * The model server of the bench, a process of its own: `node upstream.ts PORT`. It speaks just enough HTTP to answer fixed bytes with as
 * little work as possible, so that what is measured is what stands in front of it. Asked anything by its parent, it says how many answers
 * it has begun and not ended.
 */
import { createServer, type Socket } from 'node:net';
import { setTimeout as delayed } from 'node:timers/promises';
import { chunk, STREAM_HEAD, shapeOf, streamEnd, wholeAnswer } from './answers.ts';

let open = 0;

async function answer(socket: Socket, body: string): Promise<void> {
  const { chunks, delay } = shapeOf(body);
  const streamed = body.includes('"stream":true');
  open += 1;
  try {
    if (streamed) await stream(socket, chunks, delay, body.includes('"include_usage":true'));
    else {
      if (delay > 0) await delayed(chunks * delay);
      socket.write(wholeAnswer(chunks));
    }
  } finally {
    open -= 1;
  }
}

async function stream(socket: Socket, chunks: number, delay: number, usageAsked: boolean): Promise<void> {
  socket.write(STREAM_HEAD);
  for (let sent = 0; sent < chunks && !socket.destroyed; sent += 1) {
    if (delay > 0) await delayed(delay);
    socket.write(chunk(sent));
  }
  socket.write(streamEnd(usageAsked));
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
    void answer(socket, bytes.toString('latin1', end + 4, whole));
  });
}

process.on('message', () => process.send?.(open));
process.on('disconnect', () => process.exit());
createServer(serve).listen(Number(process.argv[2]), '127.0.0.1', 4096);
