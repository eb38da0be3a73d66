import { type AnswerFrame, type AnswerIdentity, type ChatCompletionChunk, type FrameBridge } from '@svc/contracts';
/** The chunks of one streamed message. */
export declare class FramesToChat implements FrameBridge<AnswerFrame, ChatCompletionChunk> {
    #private;
    constructor(identity: AnswerIdentity);
    /** Unknown events, and `ping`, add nothing. */
    take(frame: AnswerFrame): readonly ChatCompletionChunk[];
    end(): readonly ChatCompletionChunk[];
}
//# sourceMappingURL=frames-to-chat.d.ts.map