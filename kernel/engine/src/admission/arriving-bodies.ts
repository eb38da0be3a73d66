import type { ByteReservation } from './bytes-in-flight.ts';

/** A body that keeps this pace, or is behind it for no longer than the grace, is not given up for others. */
const PACE_BYTES_PER_MS = 1_024;
const GRACE_MS = 1_000;

/**
 * Bodies that are not whole yet. They hold what has come of them and nothing for what is only announced. One that falls behind its pace has
 * stalled: it is given up as soon as others need its room. So an idle or trickling sender keeps nobody out for longer than `Retry-After` says.
 */
export class ArrivingBodies {
  readonly monotonic: () => number;
  /** Those that hold anything, the oldest first. */
  readonly holding = new Set<ArrivingBody>();

  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  stalledBytes(): number {
    return totalBytes(this.#stalled());
  }

  /** Gives up stalled bodies, the oldest first, until so many bytes are free. False where all of them hold less: then none is given up. */
  free(bytes: number): boolean {
    const stalled = this.#stalled();
    if (totalBytes(stalled) < bytes) return false;
    let freed = 0;
    for (const body of stalled) {
      if (freed >= bytes) break;
      freed += body.bytes;
      body.giveUp();
    }
    return true;
  }

  #stalled(): ArrivingBody[] {
    const now = this.monotonic();
    return [...this.holding].filter(({ due }) => due < now);
  }
}

export class ArrivingBody {
  /** What has come and is held. */
  bytes = 0;
  /** When it has stalled unless more comes. Bytes that come at once buy no more than the grace. */
  due: number;
  readonly #reservation: ByteReservation;
  readonly #others: ArrivingBodies;
  readonly #onGivenUp: () => void;

  constructor(reservation: ByteReservation, others: ArrivingBodies, onGivenUp: () => void) {
    this.#reservation = reservation;
    this.#others = others;
    this.#onGivenUp = onGivenUp;
    this.due = others.monotonic() + GRACE_MS;
  }

  /** Takes what came. False where it has no room: the body is to be given up. */
  take(bytes: number): boolean {
    const now = this.#others.monotonic();
    const due = Math.min(Math.max(this.due, now) + bytes / PACE_BYTES_PER_MS, now + GRACE_MS);
    // None is given up for itself: it would be refused, and hold what it asked for.
    this.due = Number.POSITIVE_INFINITY;
    const fits = this.#reservation.grow('request', bytes);
    this.due = due;
    if (!fits) return false;
    this.bytes += bytes;
    this.#others.holding.add(this);
    return true;
  }

  /** All of it has come: it holds its room until it is answered. */
  complete(): void {
    this.#others.holding.delete(this);
  }

  /** Nothing of it is kept. */
  drop(): void {
    this.complete();
    this.#reservation.add(-this.bytes);
    this.bytes = 0;
  }

  giveUp(): void {
    this.drop();
    this.#onGivenUp();
  }
}

function totalBytes(bodies: readonly ArrivingBody[]): number {
  return bodies.reduce((sum, { bytes }) => sum + bytes, 0);
}
