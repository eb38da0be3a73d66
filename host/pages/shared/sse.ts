const END = '[DONE]';

/** Yields the data of each server-sent event, until the stream ends. Reads only `data:` lines: comments keep the connection alive. */
export async function* eventsOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = bytes.getReader();
  let unfinished = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (unfinished + decoder.decode(value, { stream: true })).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data:')) yield line.slice('data:'.length).trim();
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * Yields the JSON frames of a stream of server-sent events up to `[DONE]`.
 * @throws if the stream ends without `[DONE]`, because the answer is then incomplete
 */
export async function* frames(bytes: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void> {
  for await (const data of eventsOf(bytes)) {
    if (data === END) return;
    yield JSON.parse(data);
  }
  throw new Error('The stream ended before the answer was complete.');
}
