import { isObject, isUpstreamErrorCode, type JsonValue, type ProviderErrorOptions } from '@svc/contracts';
import type { IncomingBody } from './incoming-body.ts';

/** So much of a refusal is read. */
export const REFUSAL_BYTES = 65_536;

/** How long a refusal's body is waited for. */
export const REFUSAL_MS = 1_000;

/** The codes of an upstream's `error` object, or of the object itself where it has none; no text. */
export function refusalDetails(body: JsonValue | undefined): Pick<ProviderErrorOptions, 'code' | 'param'> {
  // Google wraps its errors into a list.
  const first = Array.isArray(body) ? body[0] : body;
  if (!isObject(first)) return {};
  const error = isObject(first.error) ? first.error : first;
  const code = [error.code, error.type, error.status].find(isUpstreamErrorCode);
  return {
    ...(code !== undefined && { code }),
    ...(typeof error.param === 'string' && { param: error.param }),
  };
}

/** As {@link refusalDetails}, of a body that may be no JSON. */
export function refusalOf(text: string): Pick<ProviderErrorOptions, 'code' | 'param'> {
  try {
    return refusalDetails(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The beginning of a refusal's body; the rest of it is discarded. */
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
    // What has come may be enough.
  } finally {
    clearTimeout(late);
    body.discard();
  }
  return Buffer.concat(pieces).toString('utf8');
}
