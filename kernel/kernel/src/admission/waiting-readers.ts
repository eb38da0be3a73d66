/** A reader that takes the next piece of its answer within this time is never dropped for others. */
const GRACE_MS = 1_000;

/** An answer that waits for its reader. */
export interface WaitingReader {
  /** Bytes of its request and its answer. */
  readonly bytes: number;
  /** Frees these bytes and ends the answer. */
  giveUp(): void;
}

/**
 * Answers that wait for their readers. A reader that takes nothing for longer than the grace period has stalled. It is dropped as soon as others need
 * its room, so it blocks nobody for longer than `Retry-After` says.
 */
export class WaitingReaders {
  readonly #monotonic: () => number;
  /** The readers, and when each of them counts as stalled. */
  readonly #waiting = new Map<WaitingReader, number>();

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  add(reader: WaitingReader): void {
    this.#waiting.set(reader, this.#monotonic() + GRACE_MS);
  }

  remove(reader: WaitingReader): void {
    this.#waiting.delete(reader);
  }

  stalledBytes(): number {
    return this.#stalled().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Drops stalled readers, the largest first, until this many bytes are free. False if all of them together hold fewer bytes; then none is dropped.
   */
  free(bytes: number): boolean {
    if (this.stalledBytes() < bytes) return false;
    let freed = 0;
    for (const reader of this.#stalled().sort((one, other) => other.bytes - one.bytes)) {
      if (freed >= bytes) break;
      freed += reader.bytes;
      this.remove(reader);
      reader.giveUp();
    }
    return true;
  }

  #stalled(): WaitingReader[] {
    const now = this.#monotonic();
    return [...this.#waiting].flatMap(([reader, due]) => (due < now ? [reader] : []));
  }
}
