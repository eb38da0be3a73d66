import { type AnswerFrame } from '@svc/contracts';
/** What a model thought and said, as the frames of blocks, in the order in which it came. */
export declare class BlocksFromChat {
    #private;
    /** Blocks so far. */
    get count(): number;
    /** @param piece a delta of the chat format */
    take({ reasoning_content, reasoning, thinking_blocks, content, refusal, }: Readonly<Record<string, unknown>>): Generator<AnswerFrame>;
    close(): Generator<AnswerFrame>;
}
/** Whether a value is a text that says something. */
export declare function isText(value: unknown): value is string;
//# sourceMappingURL=blocks-from-chat.d.ts.map