import { type AnswerFrame, type JsonObject } from '@svc/contracts';
/** The items of a streamed response as far as they have come. */
export declare class GrowingOutput {
    #private;
    take(frame: AnswerFrame): void;
    /** In their order. */
    get items(): readonly {
        readonly index: number;
        readonly item: JsonObject;
        readonly isOpen: boolean;
    }[];
}
//# sourceMappingURL=growing-output.d.ts.map