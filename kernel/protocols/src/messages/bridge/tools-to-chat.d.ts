import { type JsonObject } from '@svc/contracts';
import type { Lost } from '../../lost.ts';
/**
 * Tools and their choice in the chat format. A vendor's own tools go as they are: whether they may is the route's affair, and was judged before.
 * @throws {SvcError} SVC-REQ-001
 */
export declare function toolsToChat(tools: unknown, tool_choice: unknown, lost: Lost): JsonObject;
//# sourceMappingURL=tools-to-chat.d.ts.map