import { type ChatRequest, type JsonObject } from '@svc/contracts';
import type { Lost } from '../../lost.ts';
/** `tools` and `tool_choice` of the Messages API: functions, and the API's own. Others are noted. */
export declare function toolsFromChat({ tools, tool_choice, parallel_tool_calls }: ChatRequest, lost: Lost): JsonObject;
//# sourceMappingURL=tools-from-chat.d.ts.map