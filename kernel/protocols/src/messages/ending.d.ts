import type { AnswerFrame, FrameEnding, TokenUsage } from '@svc/contracts';
/** Ends a message of which some frames have left. */
export declare class MessageEnding implements FrameEnding {
    #private;
    take({ type, index }: AnswerFrame): void;
    /** A text ends the turn: for a refusal, clients show a text of their vendor beside its explanation. */
    frames(text: string, as: 'content' | 'refusal', { output_tokens }: TokenUsage): Generator<AnswerFrame>;
}
//# sourceMappingURL=ending.d.ts.map