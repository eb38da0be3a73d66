import { malformed } from '@svc/protocols';
import { createParser, type EventSourceParser } from 'eventsource-parser';

/** An event of a `text/event-stream`. `type` is `message` unless the stream names another. */
export interface SseEvent {
  readonly type: string;
  readonly data: string;
}

/** Maximum number of data lines of one event. The parser's overhead per line is ten times a short line. */
const MAX_DATA_LINES = 10_000;

const [LINE_FEED, CARRIAGE_RETURN, D] = [0x0a, 0x0d, 0x64] as const;

/**
 * Parses server-sent events (WHATWG HTML, section 9.2) from bytes that may be split anywhere. An event is returned after its blank line. An
 * unfinished event at the end is dropped, as the standard requires. `id` and `retry`, which are for clients that reconnect, are ignored.
 */
export class SseParser {
  /** Handles UTF-8 sequences that are split. The parser removes the byte order mark, and only the first one. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #parser: EventSourceParser;
  #events: SseEvent[] = [];
  /** Number of data lines since the last event. */
  #data_lines = 0;

  /** @param limit maximum UTF-16 code units of one event's data; lines without data are not kept */
  constructor(limit: number) {
    const tooLong = () => malformed('an event that is too long');
    this.#parser = createParser({
      maxBufferSize: limit,
      onEvent: ({ event, data }) => {
        // The parser's limit counts only buffered text, not an event that arrived in one piece.
        if (data.length > limit) throw tooLong();
        this.#events.push({ type: event ?? 'message', data });
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') throw tooLong();
      },
    });
  }

  /**
   * The events that these bytes complete. Do not call this again after it has thrown.
   * @throws {ProviderError} `malformed` for an event that is too long or has too many lines
   */
  push(bytes: Uint8Array): SseEvent[] {
    // After an ASCII character, no sequence is incomplete. So the decoder can skip its stream mode, which takes four times as long.
    const stream = (bytes.at(-1) ?? 0x80) >= 0x80;
    this.#parser.feed(this.#decoder.decode(bytes, { stream }));
    const events = this.#events;
    this.#events = [];
    this.#data_lines = events.length > 0 ? 0 : this.#data_lines + dataLinesIn(bytes);
    if (this.#data_lines > MAX_DATA_LINES) throw malformed('an event of too many lines');
    return events;
  }
}

/** No other field name begins with a d. */
function dataLinesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = 0; at < bytes.length; at += 1)
    if ((bytes[at] === LINE_FEED || bytes[at] === CARRIAGE_RETURN) && bytes[at + 1] === D) lines += 1;
  return lines;
}
