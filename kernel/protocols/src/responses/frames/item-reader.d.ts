import { type AnswerFrame, type FramePlace, type FrameReading, type JsonObject } from '@svc/contracts';
import { Channels } from './channels.ts';
import { type TextForm } from './events.ts';
type Named = FrameReading['pieces'][number];
/** An item of the output that has begun. */
interface Item {
    /** Its place in the output. Where an upstream uses one twice, the second has a name of its own. */
    readonly name: string;
    readonly path: string;
    readonly type: unknown;
    readonly isPart: boolean;
    readonly channels: Set<string>;
    isOpen: boolean;
}
/** Follows the items of a streamed response, and the texts in them. */
export declare class ItemReader {
    #private;
    readonly channels: Channels;
    /** The items that have begun, by their types. */
    get begun(): readonly JsonObject[];
    /** The item to which a frame belongs. */
    of({ output_index, item_id }: AnswerFrame): Item | null;
    /** An id that is not that of a known item is a text. */
    identify(frame: AnswerFrame, inPart: boolean): Pick<FrameReading, 'pieces' | 'ends'>;
    begin(frame: AnswerFrame): Partial<FrameReading>;
    end(frame: AnswerFrame): Partial<FrameReading>;
    /** A piece of a text. None where it says nothing. @throws {ProviderError} `malformed` */
    grow(frame: AnswerFrame, form: TextForm, place: FramePlace, at: unknown): readonly Named[];
    /** A text is said again, and has ended. */
    said(frame: AnswerFrame, form: TextForm, place: FramePlace, at: unknown): Partial<FrameReading>;
    /** Every string of a delta that is not known is a piece of a text of its own. */
    unknown(frame: AnswerFrame): Partial<FrameReading>;
    /** The response has ended, and says all of its output again. */
    finish(output: readonly JsonObject[]): Pick<FrameReading, 'ends' | 'repeats'>;
}
export {};
//# sourceMappingURL=item-reader.d.ts.map