import type { ChatCompletion, ChatRequest } from '@svc/sdk';
import { withoutGatewayFields } from '@svc/sdk/protocol';
import type { EventReader, Identity } from '@svc/toolkit/upstream';
import { ChunkReader } from './chunk-reader.ts';
import { readCompletion } from './completion.ts';
import { type Extension, withoutExtensions } from './extensions.ts';

/** One of the APIs that a server has for chats. */
export interface ChatApi {
  /**
   * The body of a request, and the names of unsupported parameters.
   * @throws {ProviderError} `invalid_request`
   */
  request(request: ChatRequest, streamed: boolean): { readonly body: string; readonly unsupported: readonly string[] };
  /** @throws {ProviderError} the error that the server reports in its answer, or `malformed` */
  completion(text: string, identity: Identity): ChatCompletion;
  chunks(identity: Identity): EventReader;
}

/**
 * `/chat/completions`. Passes on every parameter except extensions that the server does not accept, and `reasoning_summary`, which belongs to the
 * Responses API. `stream` is set for each call.
 */
export function chatCompletions(
  extensions: readonly Extension[],
  { takesStreamOptions }: { readonly takesStreamOptions: boolean },
): ChatApi {
  return {
    request(request, streamed) {
      const { request: asked, unsupported } = withoutExtensions(request, extensions);
      const { stream: _stream, stream_options, reasoning_summary, ...rest } = asked;
      const fields = withoutGatewayFields(rest);
      const options = takesStreamOptions && { stream_options: { ...stream_options, include_usage: true } };
      // `include_usage` is not lost, because the gateway itself reports usage.
      const isLost =
        streamed && !takesStreamOptions && Object.keys(stream_options ?? {}).some((name) => name !== 'include_usage');
      return {
        body: JSON.stringify(streamed ? { ...fields, stream: true, ...options } : fields),
        unsupported: [
          ...unsupported,
          ...(reasoning_summary == null ? [] : ['reasoning_summary']),
          ...(isLost ? ['stream_options'] : []),
        ],
      };
    },
    completion: readCompletion,
    chunks: (identity) => new ChunkReader(identity),
  };
}
