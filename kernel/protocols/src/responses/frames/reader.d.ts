import { type AnswerFacts, type AnswerFrame, type FrameReader, type FrameReading } from '@svc/contracts';
import { framesOf, partOf } from './part.ts';
/** Reads the frames of one streamed response. */
export declare class ResponsesReader implements FrameReader {
    #private;
    isComplete: boolean;
    facts: AnswerFacts;
    read(frame: AnswerFrame): FrameReading;
    pieceOf(channel: string, text: string): AnswerFrame;
    pathOf(channel: string): string;
    partOf: typeof partOf;
    framesOf: typeof framesOf;
}
//# sourceMappingURL=reader.d.ts.map