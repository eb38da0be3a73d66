import type { AnswerFrame, FramePlace } from '@svc/contracts';
/** The texts of a streamed answer that flow. */
export declare class Channels {
    #private;
    /** A piece has come. @throws {ProviderError} `malformed` where the text has ended: a reader would join what guards saw apart */
    take(name: string, path: string, template: AnswerFrame, place: FramePlace): void;
    /** The channels among these that were open. */
    end(names: Iterable<string>): string[];
    get names(): Iterable<string>;
    pathOf(name: string): string;
    pieceOf(name: string, text: string): AnswerFrame;
}
//# sourceMappingURL=channels.d.ts.map