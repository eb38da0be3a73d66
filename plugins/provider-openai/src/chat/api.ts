import type { ChatCompletion, ChatRequest } from '@svc/sdk';
import { withoutGatewayFields } from '@svc/sdk/protocol';
import type { EventReader, Identity } from '@svc/toolkit/upstream';
import { ChunkReader } from './chunk-reader.ts';
import { readCompletion } from './completion.ts';
import { type Extension, withoutExtensions } from './extensions.ts';

/** How chats are asked of a server: one of its APIs. */
export interface ChatApi {
  /** The body of a request, and the names of parameters that it does not honour. @throws {ProviderError} `invalid_request` */
  request(request: ChatRequest, streamed: boolean): { readonly body: string; readonly unsupported: readonly string[] };
  /** @throws {ProviderError} `malformed`, or what a server reports in its answer */
  completion(text: string, identity: Identity): ChatCompletion;
  chunks(identity: Identity): EventReader;
}

/**
 * `/chat/completions`. Every parameter is passed on but the extensions that the server does not take, and `reasoning_summary`, which is of the
 * Responses API; `stream` is set per call.
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
      // The gateway itself reports usage to the caller.
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
