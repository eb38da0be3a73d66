import { type AnswerFacts, type AnswerFrame, type FrameReader, type FrameReading } from '@svc/contracts';
import { framesOf, partOf } from './frame-part.ts';
/** Reads the frames of one streamed message. */
export declare class MessagesReader implements FrameReader {
    #private;
    isComplete: boolean;
    get facts(): AnswerFacts;
    /** An event that is not known, and `ping`, bring nothing but their texts. */
    read(frame: AnswerFrame): FrameReading;
    pieceOf(channel: string, text: string): AnswerFrame;
    pathOf(channel: string): string;
    partOf: typeof partOf;
    framesOf: typeof framesOf;
}
//# sourceMappingURL=reader.d.ts.map