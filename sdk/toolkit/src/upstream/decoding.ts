import { malformed } from '@svc/protocols';
import { type Dispatcher, interceptors } from 'undici';
import { isOk } from './failures.ts';

const KNOWN = /^(?:(?:x-)?gzip|deflate|br|zstd)(?:\s*,\s*(?:(?:x-)?gzip|deflate|br|zstd))*$/i;
const NONE = /^(?:identity)?$/i;

/**
 * undici's decoder in front of a handler. It decodes a body that is compressed although the request did not ask for that, including the body of a
 * refusal. Null: the body is not decoded.
 * @param encoding the header `content-encoding`
 * @param max_bytes limit of the decoded body; decoding stops when it is exceeded
 * @throws {ProviderError} `malformed` if a 2xx answer has an unknown encoding
 */
export function decoderFor(
  encoding: string | string[],
  status: number,
  handler: Dispatcher.DispatchHandler,
  max_bytes: number,
): Dispatcher.DispatchHandler | null {
  const text = String(encoding).trim();
  if (!KNOWN.test(text)) {
    if (isOk(status) && !NONE.test(text)) throw malformed('an unknown encoding');
    return null;
  }
  let decoder: Dispatcher.DispatchHandler | null = null;
  const take: Dispatcher['dispatch'] = (_options, made) => {
    decoder = made;
    return true;
  };
  interceptors.decompress({ skipErrorResponses: false, maxSize: max_bytes })(take)({ path: '', method: 'POST' }, handler);
  return decoder;
}
