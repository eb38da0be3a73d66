import { createParser, type EventSourceParser } from 'eventsource-parser';
import { malformed } from './failures.ts';

/** An event of a `text/event-stream`. `type` is `message` unless the stream names another. */
export interface SseEvent {
  readonly type: string;
  readonly data: string;
}

/**
 * Parses server-sent events (WHATWG HTML, section 9.2) from bytes cut anywhere. An event comes out once its blank line has come in;
 * an unfinished one at the end is dropped, as the standard has it. `id` and `retry` are for clients that reconnect, and left out.
 */
export class SseParser {
  /** Takes care of UTF-8 sequences cut in two. The byte order mark is the parser's: it takes off the first one only. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #parser: EventSourceParser;
  #events: SseEvent[] = [];

  /** @param limit most UTF-16 code units of one event's data; lines that hold none are not kept */
  constructor(limit: number) {
    const tooLong = () => malformed('an event that is too long');
    this.#parser = createParser({
      maxBufferSize: limit,
      onEvent: ({ event, data }) => {
        // The parser counts only what it had to keep, not an event that came in one piece.
        if (data.length > limit) throw tooLong();
        this.#events.push({ type: event ?? 'message', data });
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw tooLong();
      },
    });
  }

  /**
   * The events that these bytes complete. Not to be called again once it threw.
   * @throws {ProviderError} `malformed` for an event beyond the limit
   */
  push(bytes: Uint8Array): SseEvent[] {
    // Nothing is cut after an ASCII character: then the decoder need not be one for streams, which takes four times as long.
    const stream = (bytes.at(-1) ?? 0x80) >= 0x80;
    this.#parser.feed(this.#decoder.decode(bytes, { stream }));
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
