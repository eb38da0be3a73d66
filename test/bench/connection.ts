import { connect, type Socket } from 'node:net';

/** An answer as the load client saw it. Times are in milliseconds since its request was written. */
export interface Answer {
  /** Whether it had status 200 and, if streamed, its last event. */
  readonly well: boolean;
  readonly millis: number;
  /** Time to the first byte of the body. */
  readonly first_byte: number;
  /** Number of server-sent events; 0 for a whole answer. */
  readonly frames: number;
}

const BUFFER_BYTES = 16_384;
/** Long enough for the last event, or the last HTTP chunk and the line feeds before it. */
const TAIL = 40;

/**
 * A kept-alive connection that sends the same request again whenever the previous answer is complete. It parses only the HTTP it needs, because the
 * load shares the machine with what it measures.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #request: Buffer;
  readonly #lastEvent: string;
  readonly #onAnswer: (answer: Answer) => boolean;
  #head = '';
  #inBody = false;
  #status = '';
  #streamed = false;
  /** Bytes still to come; null if HTTP chunks mark the end. */
  #left: number | null = 0;
  #frames = 0;
  #tail = '';
  #isWhole = false;
  #begun = 0;
  #first = 0;

  /** `lastEvent` identifies the last event of a stream. `onAnswer` returns whether to send the request again. */
  constructor(
    port: number,
    { request, lastEvent }: { request: Buffer; lastEvent: string },
    onAnswer: (answer: Answer) => boolean,
    onFailure: (reason: Error) => void,
  ) {
    this.#request = request;
    this.#lastEvent = lastEvent;
    this.#onAnswer = onAnswer;
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer,
        callback: (count) => {
          this.#read(buffer.subarray(0, count));
          return true;
        },
      },
    });
    this.#socket.once('connect', () => this.#send());
    this.#socket.once('error', onFailure);
    this.#socket.once('end', () => onFailure(new Error('the connection was closed')));
  }

  close(): void {
    this.#socket.removeAllListeners('end').destroy();
  }

  #send(): void {
    this.#head = '';
    this.#inBody = false;
    this.#frames = 0;
    this.#tail = '';
    this.#isWhole = false;
    this.#begun = performance.now();
    this.#socket.write(this.#request);
  }

  #read(bytes: Buffer): void {
    if (this.#inBody) this.#body(bytes);
    else this.#headAndMore(bytes);
  }

  #headAndMore(bytes: Buffer): void {
    const before = this.#head.length;
    this.#head += bytes.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#head.slice(0, end);
    this.#status = head.slice(9, 12);
    this.#streamed = /\r\ncontent-type: *text\/event-stream/i.test(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#left = length === undefined ? null : Number(length);
    this.#inBody = true;
    this.#first = 0;
    this.#body(bytes.subarray(end + 4 - before));
  }

  #body(bytes: Buffer): void {
    if (bytes.length > 0 && this.#first === 0) this.#first = performance.now();
    if (this.#streamed || this.#left === null) this.#watch(bytes);
    if (this.#left === null) {
      if (this.#tail.endsWith('\r\n0\r\n\r\n')) this.#end();
    } else {
      this.#left -= bytes.length;
      if (this.#left <= 0) this.#end();
    }
  }

  #watch(bytes: Buffer): void {
    if (this.#tail.endsWith('\n') && bytes[0] === 10) this.#frames += 1;
    for (let at = bytes.indexOf('\n\n'); at >= 0; at = bytes.indexOf('\n\n', at + 2)) this.#frames += 1;
    if (this.#streamed && !this.#isWhole) {
      this.#isWhole =
        bytes.includes(this.#lastEvent) || (this.#tail + bytes.toString('latin1', 0, TAIL)).includes(this.#lastEvent);
    }
    this.#tail = (this.#tail + bytes.toString('latin1', Math.max(0, bytes.length - TAIL))).slice(-TAIL);
  }

  #end(): void {
    const again = this.#onAnswer({
      well: this.#status === '200' && (this.#streamed ? this.#isWhole : (this.#left ?? 0) === 0),
      millis: performance.now() - this.#begun,
      first_byte: this.#first - this.#begun,
      frames: this.#streamed ? this.#frames : 0,
    });
    if (again) this.#send();
  }
}
