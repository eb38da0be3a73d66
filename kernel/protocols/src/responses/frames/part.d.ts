import { type AnswerFrame, type FramePart } from '@svc/contracts';
/** Where the text of a call stands, and what its events are named after. */
export declare const CALLS: ReadonlyMap<unknown, {
    readonly field: string;
    readonly events: string;
}>;
/**
 * The item that came in these frames, such as a tool call, as it stands in a whole response. Texts that its frames say beside it stand in
 * `events`: a client may read those, too.
 */
export declare function partOf(frames: readonly AnswerFrame[]): FramePart;
/** The frames of an item that guards have edited: it comes at once. */
export declare function framesOf({ value }: FramePart, frames: readonly AnswerFrame[]): readonly AnswerFrame[];
//# sourceMappingURL=part.d.ts.map