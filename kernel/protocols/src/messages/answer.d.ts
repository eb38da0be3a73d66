import { type AnswerBody, type JsonObject, type TokenUsage } from '@svc/contracts';
/** @throws {ProviderError} `malformed` for what is no message, or what the server reports in it */
export declare function readMessage(value: unknown): AnswerBody;
/** Blocks of a message that was checked. */
export declare function blocksIn({ content }: AnswerBody): readonly JsonObject[];
export declare function textOf(answer: AnswerBody): string;
/** What a model wrote: signatures, and thinking that nobody reads, count for nothing. */
export declare function writtenIn(answer: AnswerBody): unknown;
/** With figures that the gateway counted, where the upstream gave none. */
export declare function withUsage(answer: AnswerBody, { input_tokens, output_tokens }: TokenUsage): AnswerBody;
//# sourceMappingURL=answer.d.ts.map