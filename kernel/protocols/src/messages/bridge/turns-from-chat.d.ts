import { type ChatMessage } from '@svc/contracts';
import type { Lost } from '../../lost.ts';
import { type Block } from './parts-from-chat.ts';
interface Turn {
    readonly role: 'user' | 'assistant';
    readonly content: Block[];
}
/** A conversation in the Messages API's form. Roles alternate. */
export interface Conversation {
    readonly system: Block[];
    readonly messages: Turn[];
}
/**
 * Splits a conversation into instructions and turns. Instructions (`system`, `developer`) are collected in order, wherever they stood: most
 * models have one place for them.
 * @throws {ProviderError} `unsupported` for what the API does not support
 */
export declare function turnsFromChat(messages: readonly ChatMessage[], lost: Lost): Conversation;
export {};
//# sourceMappingURL=turns-from-chat.d.ts.map