import { type JsonObject } from '@svc/contracts';
import type { Lost } from '../../lost.ts';
/** A content block of the Messages API. */
export type Block = JsonObject & {
    readonly type: string;
};
/** A block, and where its cache ends if that was asked for. */
export declare function cached(block: Block, { cache_control }: Readonly<Record<string, unknown>>): Block;
/**
 * A message's content as blocks, without blank texts.
 * @throws {ProviderError} `unsupported` for content that the API does not support
 */
export declare function blocksFromChat(content: unknown, lost: Lost): Block[];
//# sourceMappingURL=parts-from-chat.d.ts.map