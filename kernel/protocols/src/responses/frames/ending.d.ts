import { type AnswerFrame, type FrameEnding, type TokenUsage } from '@svc/contracts';
/** Ends a response of which some frames have left. A stop completes it: clients try again what is incomplete. */
export declare class ResponseEnding implements FrameEnding {
    #private;
    take(frame: AnswerFrame): void;
    frames(text: string, as: 'content' | 'refusal', usage: TokenUsage): Generator<AnswerFrame>;
}
//# sourceMappingURL=ending.d.ts.map