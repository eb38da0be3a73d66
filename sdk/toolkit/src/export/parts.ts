import type { Clock, ExportRecord } from '@svc/contracts';
import { Type } from 'typebox';
import { NotAccepted } from './not-accepted.ts';

/** After this time, a delivery sends no further part. So the cursor advances regularly, even with a slow receiver. */
const MAX_DELIVERY_MS = 10_000;
/** Maximum characters of records in a part. A longer record is sent alone. */
const MAX_CHARACTERS = 1_000_000;

/** The option for `most` of {@link Parts}. @param part what the receiver gets, for the description */
export const batchOption = (part: 'object' | 'request') =>
  Type.Integer({
    default: 256,
    minimum: 1,
    maximum: 256,
    description: `Maximum records in one ${part}. Its size is also limited to about a megabyte.`,
  });

interface PartsOptions {
  /** Maximum records in a part. */
  readonly most: number;
  readonly clock: Clock;
}

/**
 * Sends records in parts, in order. Each part waits until the receiver has accepted the previous one. After a failure, the next part has one record, and
 * each accepted part doubles that number. So a receiver that accepts only small parts gets everything, a record that it never accepts does not hold up
 * the records before it, and a retry repeats only that record.
 */
export class Parts {
  readonly #most: number;
  readonly #clock: Clock;
  /** Maximum records in the next part. */
  #size: number;

  constructor({ most, clock }: PartsOptions) {
    this.#most = most;
    this.#clock = clock;
    this.#size = most;
  }

  /** @throws {NotAccepted} with the last seq that the receiver accepted */
  async send(
    records: readonly ExportRecord[],
    sendPart: (part: readonly ExportRecord[]) => Promise<void>,
  ): Promise<{ through: number }> {
    const until = this.#clock.monotonic() + MAX_DELIVERY_MS;
    let rest = records;
    let through: number | undefined;
    do {
      const part = firstOf(rest, this.#size);
      try {
        await sendPart(part);
      } catch (error) {
        this.#size = 1;
        if (error instanceof NotAccepted) error.through = through;
        throw error;
      }
      this.#size = Math.min(this.#most, this.#size * 2);
      through = part.at(-1)?.seq;
      rest = rest.slice(part.length);
    } while (rest.length > 0 && this.#clock.monotonic() < until);
    return { through: through ?? 0 };
  }
}

/** The first records, as many as fit into one part. */
function firstOf(records: readonly ExportRecord[], most: number): readonly ExportRecord[] {
  let characters = 0;
  const end = records.findIndex(({ bytes }, index) => {
    characters += bytes.length;
    return index > 0 && (index >= most || characters > MAX_CHARACTERS);
  });
  return end < 0 ? records : records.slice(0, end);
}
