import type { Clock, ExportRecord } from '@svc/contracts';
import { NotAccepted } from './not-accepted.ts';

/** After this time, a delivery sends no further part. So the cursor advances regularly, even with a slow receiver. */
const MAX_DELIVERY_MS = 10_000;
/** Maximum characters of records in a part. A longer record is sent alone. */
const MAX_CHARACTERS = 1_000_000;

/** Sends records in parts, in order. Each part waits until the receiver has accepted the previous one. */
export async function sendInParts(
  records: readonly ExportRecord[],
  { most, clock }: { readonly most: number; readonly clock: Clock },
  send: (part: readonly ExportRecord[]) => Promise<void>,
): Promise<{ through: number }> {
  const until = clock.monotonic() + MAX_DELIVERY_MS;
  let rest = records;
  let through: number | undefined;
  do {
    const part = firstOf(rest, most);
    try {
      await send(part);
    } catch (error) {
      if (error instanceof NotAccepted) error.through = through;
      throw error;
    }
    through = part.at(-1)?.seq;
    rest = rest.slice(part.length);
  } while (rest.length > 0 && clock.monotonic() < until);
  return { through: through ?? 0 };
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
