import { type AnswerFrame, type ToolCallDelta } from '@svc/contracts';
/** Tool calls of a streamed chat completion: blocks follow each other, and pieces of calls may come in turns. They are written when all has come. */
export declare class CallsFromChat {
    #private;
    get count(): number;
    take(deltas: readonly ToolCallDelta[]): void;
    /** @param from index of the first block */
    frames(from: number): AnswerFrame[];
}
//# sourceMappingURL=calls-from-chat.d.ts.map