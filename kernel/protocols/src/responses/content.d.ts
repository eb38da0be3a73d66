import { type AnswerBody, type AnswerFrame, type RequestBody } from '@svc/contracts';
/** What of a request a model reads. */
export declare function readIn(body: RequestBody): unknown;
/** What of an answer a model wrote; null: nothing. */
export declare function writtenIn({ output }: AnswerBody): unknown;
/** What a model said, a part behind the other. */
export declare function textOf({ output }: AnswerBody): string;
/** An answer without the fragments of its text, token by token, which no guard can read. */
export declare function checkable(answer: AnswerBody): {
    readonly answer: AnswerBody;
    readonly left_out: readonly string[];
};
/** The same of a frame, which has them in several places. */
export declare function checkableFrame(frame: AnswerFrame): AnswerFrame;
//# sourceMappingURL=content.d.ts.map