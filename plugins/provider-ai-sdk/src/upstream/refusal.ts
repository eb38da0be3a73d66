import type { ProviderError } from '@svc/sdk';
import { REFUSAL_BYTES, REFUSAL_MS, refusalError, retryOf } from '@svc/toolkit/upstream';
import type { Response } from 'undici';
import { kindOf } from '../call/status-kind.ts';

/** The beginning of a body, as far as it arrives in time. */
async function beginningOf(body: NonNullable<Response['body']>): Promise<string> {
  const reader = body.getReader();
  const late = setTimeout(() => reader.cancel().catch(() => undefined), REFUSAL_MS);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (let piece = await reader.read(); !piece.done && bytes < REFUSAL_BYTES; piece = await reader.read()) {
      pieces.push(piece.value);
      bytes += piece.value.length;
    }
  } catch {
    // The part that has arrived may be enough.
  } finally {
    clearTimeout(late);
    reader.cancel().catch(() => undefined);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The error for an answer with a status other than 2xx. Uses only known codes and numbers of its body. */
export async function refusalOfResponse({ status, headers, body }: Response, now: number): Promise<ProviderError> {
  const text = body === null ? '' : await beginningOf(body);
  return refusalError(status, text, retryOf(Object.fromEntries(headers), now), kindOf(status));
}
