import { isThenable, JSON_VALUE_BYTES } from '@svc/contracts';
import { ArrivingBodies, ArrivingBody } from './arriving-bodies.ts';
import { WaitingReaders } from './waiting-readers.ts';

/**
 * Bytes in use in this process: bodies of requests and answers of models, from their arrival until nothing holds them. Requests are admitted up to
 * `max`. Answers of admitted runs may take the same amount again, so that the runs can end.
 */
export class BytesInFlight {
  readonly max: number;
  readonly refused = { request: 0, answer: 0 };
  readonly arriving: ArrivingBodies;
  readonly readers: WaitingReaders;
  #bytes = 0;

  constructor(max: number, monotonic: () => number = () => performance.now()) {
    this.max = max;
    this.arriving = new ArrivingBodies(monotonic);
    this.readers = new WaitingReaders(monotonic);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A new, empty reservation. Its first holder is the caller. */
  reserve(): ByteReservation {
    return new ByteReservation(this);
  }

  /** Only for {@link ByteReservation}. */
  change(by: number): void {
    this.#bytes += by;
  }

  /** Whether this many more bytes fit. Drops stalled bodies or readers if that makes them fit. If they do not fit, this counts as a refusal. */
  fits(what: 'request' | 'answer', bytes: number): boolean {
    const over = this.#bytes + bytes - (what === 'request' ? this.max : 2 * this.max);
    if (over <= 0 || this.arriving.free(over) || this.readers.free(over)) return true;
    this.refused[what] += 1;
    return false;
  }

  /** Whether this many more bytes of a request fit now. Unlike {@link fits}, it drops nothing and counts no refusal. */
  isFree(bytes: number): boolean {
    return this.#bytes + bytes <= this.max;
  }

  /** Whether a body of this length would fit now. Reserves nothing and drops nothing. If it does not fit, this counts as a refusal. */
  hasRoom(length: number): boolean {
    const over = this.#bytes + length - this.max;
    if (over <= 0 || over <= this.arriving.stalledBytes() || over <= this.readers.stalledBytes()) return true;
    this.refused.request += 1;
    return false;
  }
}

/** The bytes of one request and its answers. They are free once every holder has released them. */
export class ByteReservation {
  readonly #all: BytesInFlight;
  #holders = 1;
  #bytes = 0;
  /** Whether the answer was abandoned. The reservation then no longer counts, even while someone holds it. */
  #given_up = false;

  constructor(all: BytesInFlight) {
    this.#all = all;
  }

  /** Reserves more bytes. False if they do not fit; then none are reserved. */
  grow(what: 'request' | 'answer', bytes: number): boolean {
    if (!this.#all.fits(what, bytes)) return false;
    this.add(bytes);
    return true;
  }

  /** Whether this many more bytes would fit if nothing else were in flight. If not, retrying is useless. */
  fitsAlone(what: 'request' | 'answer', bytes: number): boolean {
    return this.#bytes + bytes <= (what === 'request' ? this.#all.max : 2 * this.#all.max);
  }

  /** See {@link BytesInFlight.hasRoom}. */
  hasRoom(length: number): boolean {
    return this.#all.hasRoom(length);
  }

  /** Holds the bytes of a body that is about to be read. `giveUp` is called when the body stalled and was dropped. */
  arriving(giveUp: () => void): ArrivingBody {
    return new ArrivingBody(this, this.#all.arriving, giveUp);
  }

  /**
   * Reserves the memory that this many JSON values need in addition to the bytes that are already held: 200 kB of JSON can be 100,000 values. Never
   * reserves more than `max`, so a request that is alone always fits. False if the memory does not fit.
   */
  weigh(what: 'request' | 'answer', values: number): boolean {
    const more = Math.min(values * JSON_VALUE_BYTES, this.#all.max) - this.#bytes;
    return more <= 0 || this.grow(what, more);
  }

  /** Changes the number of bytes without checking whether they fit. A negative number releases bytes. */
  add(bytes: number): void {
    if (this.#holders === 0 || this.#given_up) return;
    this.#bytes += bytes;
    this.#all.change(bytes);
  }

  /** Adds a holder. If the last one has left, the bytes are reserved again, whether they fit or not. */
  hold(): this {
    if (this.#holders === 0) this.#all.change(this.#bytes);
    this.#holders += 1;
    return this;
  }

  /** Each holder calls this once. */
  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.#all.change(-this.#bytes);
  }

  /**
   * Waits until a reader has taken the next piece of an answer.
   * @param giveUp called to end the answer when the reader has stalled and others need its room
   */
  async whileUnread(taken: Promise<void>, giveUp: () => void): Promise<void> {
    const reader = {
      bytes: this.#bytes,
      giveUp: () => {
        this.add(-this.#bytes);
        this.#given_up = true;
        this.#all.refused.answer += 1;
        giveUp();
      },
    };
    this.#all.readers.add(reader);
    await taken;
    this.#all.readers.remove(reader);
  }

  /** Adds a holder for the duration of the work, even if nobody waits for the work. */
  during<T>(work: T): T {
    if (!isThenable(work)) return work;
    this.hold();
    const release = (): void => this.release();
    work.then(release, release);
    return work;
  }
}
