import { type AnswerBody, type AnswerFrame } from '@svc/contracts';
/** The frames of a whole message: each block begins empty where its texts can come in pieces, and has one piece. */
export declare function framesOf(answer: AnswerBody): Generator<AnswerFrame>;
//# sourceMappingURL=whole-frames.d.ts.map