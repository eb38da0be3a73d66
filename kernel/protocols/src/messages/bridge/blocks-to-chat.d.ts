import { type ChatChunkChoice } from '@svc/contracts';
import type { Lost } from '../../lost.ts';
type Delta = ChatChunkChoice['delta'];
/** Converts the content blocks of one streamed message to deltas of the chat format. Each method throws `malformed` for what it cannot read. */
export declare class BlocksToChat {
    #private;
    constructor(lost: Lost);
    /** `content_block_start` */
    start(index: number, block: unknown): Delta[];
    /** `content_block_delta`. Deltas of blocks that have no place add nothing. */
    grow(index: number, delta: unknown): Delta[];
    /** `content_block_stop` */
    stop(index: number): Delta[];
}
export {};
//# sourceMappingURL=blocks-to-chat.d.ts.map