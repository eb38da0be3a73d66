import type { AnswerFrame, ChatCompletionChunk, FrameBridge } from '@svc/contracts';
/** The frames of one streamed chat completion, of its first answer. */
export declare class FramesFromChat implements FrameBridge<ChatCompletionChunk, AnswerFrame> {
    #private;
    take(chunk: ChatCompletionChunk): readonly AnswerFrame[];
    end(): readonly AnswerFrame[];
}
//# sourceMappingURL=frames-from-chat.d.ts.map