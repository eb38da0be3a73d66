import { type Bridged, type ChatRequest, type RequestBody } from '@svc/contracts';
/**
 * A chat request as a request of the Messages API. Null counts as absent. Without a limit of its own it has no `max_tokens`: the provider gives one,
 * since the API needs it.
 * @throws {ProviderError} `unsupported` for messages that the API does not support
 */
export declare function requestFromChat(request: ChatRequest): Bridged<RequestBody>;
//# sourceMappingURL=request-from-chat.d.ts.map