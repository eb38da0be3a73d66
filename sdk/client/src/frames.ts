import type { Deadline } from './transport.ts';

/** The data of each event. The gateway sends one `data:` line and an empty line per event. Comments only restart the deadline. */
export async function* framesOf(body: ReadableStream<Uint8Array>, deadline: Deadline): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      deadline.restart();
      const frames = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) if (frame.startsWith('data: ')) yield frame.slice('data: '.length);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
