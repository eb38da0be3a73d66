import { type AnswerBody, type AnswerFacts, type AnswerFrame, type AnswerIdentity, type JsonObject, type TokenUsage } from '@svc/contracts';
/** @throws {ProviderError} `malformed`, or what a failed response says */
export declare function readAnswer(value: unknown): AnswerBody;
export declare function outcomeOf({ status, incomplete_details, output, usage }: AnswerBody): AnswerFacts;
/** Why a response ended, as the chat format says it; null: it has not ended. */
export declare function finishOf(status: unknown, details: unknown, hasCalls: boolean): string | null;
export declare function withUsage(answer: AnswerBody, { input_tokens, output_tokens }: TokenUsage): AnswerBody;
/** An answer, or the answer that a frame holds, under the gateway's own id. */
export declare function withHead<T extends AnswerBody | AnswerFrame>(answer: T, identity: AnswerIdentity): T;
/** The text format that a request asks for, where it asks for one. */
export declare function formatOf(text: unknown): JsonObject | null;
//# sourceMappingURL=answer.d.ts.map