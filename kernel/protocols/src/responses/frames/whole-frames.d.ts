import { type AnswerBody, type AnswerFrame, type JsonObject } from '@svc/contracts';
/** The first frames of every response. */
export declare function openingOf(response: object): Generator<AnswerFrame>;
/** The frames of a whole response: each text comes in one piece. */
export declare function framesOfAnswer(answer: AnswerBody): Generator<AnswerFrame>;
export declare function framesOfItem(item: JsonObject, output_index: number): Generator<AnswerFrame>;
//# sourceMappingURL=whole-frames.d.ts.map