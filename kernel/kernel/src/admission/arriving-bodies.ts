import type { ByteReservation } from './bytes-in-flight.ts';

/** A body must arrive at this pace. If it is late by more than the grace period, it is dropped when others need its room. */
const PACE_BYTES_PER_MS = 1_024;
const GRACE_MS = 1_000;

/**
 * Request bodies that are still arriving. Each reserves the bytes that have arrived, not the announced length. A body that falls behind its pace has
 * stalled: it is dropped as soon as others need its room. So a slow sender never blocks others for longer than `Retry-After` says.
 */
export class ArrivingBodies {
  readonly monotonic: () => number;
  /** Bodies that hold bytes, the oldest first. */
  readonly holding = new Set<ArrivingBody>();

  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  stalledBytes(): number {
    return totalBytes(this.#stalled());
  }

  /** Drops stalled bodies, the oldest first, until this many bytes are free. False if all of them together hold fewer bytes; then none is dropped. */
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
  /** Bytes that have arrived and are held. */
  bytes = 0;
  /** When the body counts as stalled unless more bytes arrive. However many bytes arrive together, they extend this by at most the grace period. */
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

  /** Takes bytes that arrived. False if there is no room: the caller must drop the body. */
  take(bytes: number): boolean {
    const now = this.#others.monotonic();
    const due = Math.min(Math.max(this.due, now) + bytes / PACE_BYTES_PER_MS, now + GRACE_MS);
    // A body must not be dropped to make room for itself.
    this.due = Number.POSITIVE_INFINITY;
    const fits = this.#reservation.grow('request', bytes);
    this.due = due;
    if (!fits) return false;
    this.bytes += bytes;
    this.#others.holding.add(this);
    return true;
  }

  /** The whole body has arrived: it holds its bytes until it is answered. */
  complete(): void {
    this.#others.holding.delete(this);
  }

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
