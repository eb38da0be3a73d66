import { type Bridged, type ChatRequest, type RequestBody } from '@svc/contracts';
/**
 * A request of the Messages API in the chat format and its extensions.
 * @throws {SvcError} SVC-REQ-001
 */
export declare function requestToChat(body: RequestBody): Bridged<ChatRequest>;
//# sourceMappingURL=request-to-chat.d.ts.map