export declare const EVENT_TYPES: ReadonlySet<string>;
/** Where the text of a flowing event stands in its item: in which list, and in which field of a member. */
export interface TextForm {
    readonly list: 'content' | 'summary';
    readonly index: 'content_index' | 'summary_index';
    readonly field: 'text' | 'refusal';
    /** The type of the events, without `.delta` and `.done`. */
    readonly events: string;
}
/** Undefined: no text flows in parts of this type. */
export declare function formOfPart(type: unknown): TextForm | undefined;
/** Of an event's type with its ending, such as `.delta`. */
export declare function formOfEvent(type: unknown, ending: '.delta' | '.done'): TextForm | undefined;
/** Pieces of a call, which no event may bring outside of its item. */
export declare const CALL_PIECES: ReadonlySet<unknown>;
/** Items whose text flows. Every other one is judged as a whole. */
export declare const FLOWING: ReadonlySet<unknown>;
/** What fills a frame up, so that its length says nothing of its text. */
export declare function isPadding(value: string): boolean;
//# sourceMappingURL=events.d.ts.map