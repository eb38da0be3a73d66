import type { AnswerFrame, FrameReading, JsonObject } from '@svc/contracts';
import { type DeltaString } from './delta-strings.ts';
/** The texts of a streamed message, by their places in a whole one, such as `content.0.text`. */
export declare class Channels {
    #private;
    /** @param index of the block to which the delta belongs */
    take(index: number, delta: JsonObject, strings: readonly DeltaString[]): FrameReading['pieces'];
    /** A frame with one more piece. */
    pieceOf(channel: string, text: string): AnswerFrame;
    /** Names that an upstream chose are shown as `other`. */
    pathOf(channel: string): string;
}
//# sourceMappingURL=channels.d.ts.map