import { ProviderError, type ProviderErrorKind, type ProviderErrorOptions } from '@svc/contracts';
import { kindOfRefusal, kindOfStatus, refusalIn } from '@svc/protocols';
import type { IncomingBody } from './incoming-body.ts';

/** Maximum number of bytes of a refusal's body that are read. */
export const REFUSAL_BYTES = 65_536;

/** How long to wait for a refusal's body. */
export const REFUSAL_MS = 1_000;

/**
 * The error for an answer with a status other than 2xx. Only known codes and token counts of its body are kept.
 * @param text the beginning of the body
 * @param kind the meaning of the status, used if no code is more specific
 */
export function refusalError(
  status: number,
  text: string,
  retry: Pick<ProviderErrorOptions, 'retry_after_s' | 'retry_after_ms'>,
  kind: ProviderErrorKind = kindOfStatus(status),
): ProviderError {
  const refusal = refusalIn(text, status);
  return new ProviderError(kindOfRefusal(refusal, status) ?? kind, { status, ...retry, ...refusal.details });
}

/** The beginning of a refusal's body. The rest is discarded. */
export async function readRefusal(body: IncomingBody): Promise<string> {
  const late = setTimeout(() => body.leave(), REFUSAL_MS);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (let piece = await body.next(); piece !== null && bytes < REFUSAL_BYTES; piece = await body.next()) {
      pieces.push(piece);
      bytes += piece.length;
    }
  } catch {
    // The part that has arrived may be enough.
  } finally {
    clearTimeout(late);
    body.discard();
  }
  return Buffer.concat(pieces).toString('utf8');
}
