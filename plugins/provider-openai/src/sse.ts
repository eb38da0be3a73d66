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
  readonly #limit: number;
  /** Takes care of UTF-8 sequences cut in two. The byte order mark is ours: in stream mode Node 24's decoder may take a second one off too. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #atStart = true;
  #line = '';
  /** The last character was a CR that ended a line: an LF right after it belongs to it. */
  #afterCr = false;
  #type = '';
  #data: string[] = [];
  #dataLength = 0;

  /** @param limit most UTF-16 code units of an unfinished event */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The events that these bytes complete.
   * @throws {ProviderError} `malformed` for an event beyond the limit
   */
  push(bytes: Uint8Array): SseEvent[] {
    const decoded = this.#decoder.decode(bytes, { stream: true });
    if (decoded === '') return [];
    const skip = (this.#atStart && decoded.startsWith('\uFEFF')) || (this.#afterCr && decoded.startsWith('\n'));
    const text = skip ? decoded.slice(1) : decoded;
    this.#atStart = false;
    this.#afterCr = decoded.endsWith('\r');
    const events: SseEvent[] = [];
    let start = 0;
    for (const { index, 0: terminator } of text.matchAll(/\r\n?|\n/g)) {
      const event = this.#endLine(this.#line + text.slice(start, index));
      if (event !== undefined) events.push(event);
      this.#line = '';
      start = index + terminator.length;
    }
    this.#line += text.slice(start);
    this.#check(this.#line.length);
    return events;
  }

  #check(lineLength: number): void {
    if (lineLength + this.#dataLength > this.#limit) throw malformed('an event that is too long');
  }

  #endLine(line: string): SseEvent | undefined {
    if (line === '') return this.#dispatch();
    this.#check(line.length);
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.#type = value;
    if (field === 'data') {
      this.#data.push(value);
      this.#dataLength += value.length + 1;
    }
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const event = this.#data.length === 0 ? undefined : { type: this.#type || 'message', data: this.#data.join('\n') };
    this.#type = '';
    this.#data = [];
    this.#dataLength = 0;
    return event;
  }
}
