import { isThenable, JSON_VALUE_BYTES } from '@svc/contracts';
import { ArrivingBodies, ArrivingBody } from './arriving-bodies.ts';

/**
 * The bytes under work in this process: bodies of requests and answers of models, from their arrival until nothing holds them. Requests
 * are admitted up to `max`. Answers of runs that are under way may take as much again, so that what was admitted can end.
 */
export class BytesInFlight {
  readonly max: number;
  /** What was refused so far, and for what. */
  readonly refused = { request: 0, answer: 0 };
  readonly arriving: ArrivingBodies;
  #bytes = 0;

  constructor(max: number, monotonic: () => number = () => performance.now()) {
    this.max = max;
    this.arriving = new ArrivingBodies(monotonic);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** An empty reservation, held by whoever asks for it. */
  reserve(): ByteReservation {
    return new ByteReservation(this);
  }

  /** To be called by a {@link ByteReservation} alone. */
  change(by: number): void {
    this.#bytes += by;
  }

  /** Whether so much more fits, without stalled bodies where it must be: these are given up then. A refusal is counted. */
  fits(what: 'request' | 'answer', bytes: number): boolean {
    const over = this.#bytes + bytes - (what === 'request' ? this.max : 2 * this.max);
    if (over <= 0 || this.arriving.free(over)) return true;
    this.refused[what] += 1;
    return false;
  }

  /** Whether so much more of a request fits now. Nobody is refused by it. */
  isFree(bytes: number): boolean {
    return this.#bytes + bytes <= this.max;
  }

  /** Whether a body of this length has room now. Nothing is taken and nothing given up before it comes. A refusal is counted. */
  hasRoom(length: number): boolean {
    if (this.#bytes + length - this.arriving.stalledBytes() <= this.max) return true;
    this.refused.request += 1;
    return false;
  }
}

/** The bytes of one request and its answers. They are free again once everyone who held it has released it. */
export class ByteReservation {
  readonly #all: BytesInFlight;
  #holders = 1;
  #bytes = 0;

  constructor(all: BytesInFlight) {
    this.#all = all;
  }

  /** Takes more. False where that does not fit: then nothing is taken. */
  grow(what: 'request' | 'answer', bytes: number): boolean {
    if (!this.#all.fits(what, bytes)) return false;
    this.add(bytes);
    return true;
  }

  /** Whether a body of this length has room now; see {@link BytesInFlight.hasRoom}. */
  hasRoom(length: number): boolean {
    return this.#all.hasRoom(length);
  }

  /** For a body that is read from now on. `giveUp`: it came too slowly while others needed its room, and holds nothing any more. */
  arriving(giveUp: () => void): ArrivingBody {
    return new ArrivingBody(this, this.#all.arriving, giveUp);
  }

  /**
   * Takes what so many JSON values are under work beyond the bytes that are held already: 200 kB may be 100,000 of them. Never more than the
   * whole bound, so that any request has room while it is alone. False where that does not fit.
   */
  weigh(what: 'request' | 'answer', values: number): boolean {
    const more = Math.min(values * JSON_VALUE_BYTES, this.#all.max) - this.#bytes;
    return more <= 0 || this.grow(what, more);
  }

  /** Takes more of what was admitted before, or gives it back, whether it fits or not. */
  add(bytes: number): void {
    if (this.#holders === 0) return;
    this.#bytes += bytes;
    this.#all.change(bytes);
  }

  /** One more holds it. */
  hold(): this {
    this.#holders += 1;
    return this;
  }

  /** To be called once by each holder. */
  release(): void {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    this.#all.change(-this.#bytes);
    this.#bytes = 0;
  }

  /** Holds it until the work has ended, also where nobody waits for that any more. */
  during<T>(work: T): T {
    if (!isThenable(work)) return work;
    this.hold();
    const release = (): void => this.release();
    work.then(release, release);
    return work;
  }
}
