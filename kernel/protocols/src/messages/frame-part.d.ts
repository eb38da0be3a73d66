import { type AnswerFrame, type FramePart } from '@svc/contracts';
/** The block that came in these frames, such as a tool call, as it stands in a whole message. */
export declare function partOf(frames: readonly AnswerFrame[]): FramePart;
/** The frames of a block that guards have edited: it comes at once, its input as JSON in one piece. */
export declare function framesOf({ value }: FramePart, frames: readonly AnswerFrame[]): readonly AnswerFrame[];
//# sourceMappingURL=frame-part.d.ts.map