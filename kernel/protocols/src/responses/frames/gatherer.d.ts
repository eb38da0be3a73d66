import { type AnswerBody, type AnswerFrame } from '@svc/contracts';
/** Puts a response together: the last frame says all of it, unless an upstream says its items in their own frames alone. */
export declare class ResponseGatherer {
    #private;
    take(frame: AnswerFrame): void;
    /** @throws {ProviderError} `malformed` where it has not ended */
    answer(): AnswerBody;
}
//# sourceMappingURL=gatherer.d.ts.map