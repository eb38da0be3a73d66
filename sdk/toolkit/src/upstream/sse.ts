import { malformed } from '@svc/protocols';
import { createParser, type EventSourceParser } from 'eventsource-parser';

/** An event of a `text/event-stream`. `type` is `message` unless the stream names another. */
export interface SseEvent {
  readonly type: string;
  readonly data: string;
}

/** Most lines of data of one event: what the parser keeps of a line is ten times a short one. */
const MAX_DATA_LINES = 10_000;

const [LINE_FEED, CARRIAGE_RETURN, D] = [0x0a, 0x0d, 0x64] as const;

/**
 * Parses server-sent events (WHATWG HTML, section 9.2) from bytes cut anywhere. An event comes out once its blank line has come in;
 * an unfinished one at the end is dropped, as the standard has it. `id` and `retry` are for clients that reconnect, and left out.
 */
export class SseParser {
  /** Takes care of UTF-8 sequences cut in two. The byte order mark is the parser's: it takes off the first one only. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #parser: EventSourceParser;
  #events: SseEvent[] = [];
  /** Lines of data since the last event. */
  #data_lines = 0;

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
   * @throws {ProviderError} `malformed` for an event beyond the limit, or of too many lines
   */
  push(bytes: Uint8Array): SseEvent[] {
    // Nothing is cut after an ASCII character: then the decoder need not be one for streams, which takes four times as long.
    const stream = (bytes.at(-1) ?? 0x80) >= 0x80;
    this.#parser.feed(this.#decoder.decode(bytes, { stream }));
    const events = this.#events;
    this.#events = [];
    this.#data_lines = events.length > 0 ? 0 : this.#data_lines + dataLinesIn(bytes);
    if (this.#data_lines > MAX_DATA_LINES) throw malformed('an event of too many lines');
    return events;
  }
}

/** No other field's name begins with a d. */
function dataLinesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = 0; at < bytes.length; at += 1)
    if ((bytes[at] === LINE_FEED || bytes[at] === CARRIAGE_RETURN) && bytes[at + 1] === D) lines += 1;
  return lines;
}
