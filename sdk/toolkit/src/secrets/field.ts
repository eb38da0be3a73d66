import { isObject, SecretFailedError } from '@svc/contracts';

/** The key of a whole secret that is not a JSON object. */
const WHOLE = 'value';

/**
 * A field of a secret whose content is a JSON object. If the content is any other text, the key `value` returns all of it.
 * @param content bytes are a text in UTF-8
 * @throws {SecretFailedError} `not_found` without such a field; `malformed` if it is not a text, or empty
 */
export function fieldOf(content: string | Uint8Array, key: string): string {
  const text = typeof content === 'string' ? content : textOf(content);
  const fields = objectIn(text);
  if (fields === null ? key !== WHOLE : !Object.hasOwn(fields, key)) throw new SecretFailedError('not_found');
  const value = fields === null ? text : fields[key];
  if (typeof value !== 'string' || value === '') throw new SecretFailedError('malformed');
  return value;
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SecretFailedError('malformed');
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
