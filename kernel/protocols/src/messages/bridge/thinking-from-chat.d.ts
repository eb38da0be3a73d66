import { type ChatMessage, type JsonObject } from '@svc/contracts';
import type { Lost } from '../../lost.ts';
import type { Block } from './parts-from-chat.ts';
/** Blocks of thinking that the API takes back, in their order. Others, such as those that a guard edited, are not sent. */
export declare function thinkingFromChat({ thinking_blocks, reasoning_content, reasoning }: ChatMessage, lost: Lost): Block[];
/** A block as the API wants it back. Null for other blocks, and for thinking that nobody signed. */
export declare function blockOf(block: unknown): Block | null;
/**
 * What `reasoning_effort` asks for: thinking, as much as the model wants at this effort, or none. Where the request says itself whether to
 * think, only the effort. Null: the API has no such effort.
 */
export declare function effortOf(reasoning_effort: unknown, saysThinking: boolean): JsonObject | null;
//# sourceMappingURL=thinking-from-chat.d.ts.map