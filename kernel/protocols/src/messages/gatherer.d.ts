import { type AnswerBody, type AnswerFrame } from '@svc/contracts';
/** Puts a message together from its frames. */
export declare class MessageGatherer {
    #private;
    take(frame: AnswerFrame): void;
    answer(): AnswerBody;
}
//# sourceMappingURL=gatherer.d.ts.map