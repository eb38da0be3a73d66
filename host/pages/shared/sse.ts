const END = '[DONE]';

/**
 * Yields the JSON frames of a stream of server-sent events up to `[DONE]`. Reads only `data:` lines: comments keep
 * the connection alive.
 * @throws if the stream ends without `[DONE]`, because the answer is then incomplete
 */
export async function* frames(bytes: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void> {
  const decoder = new TextDecoder();
  const reader = bytes.getReader();
  let unfinished = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('The stream ended before the answer was complete.');
      const lines = (unfinished + decoder.decode(value, { stream: true })).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('data:')) continue;
        const data = line.slice('data:'.length).trim();
        if (data === END) return;
        yield JSON.parse(data);
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
