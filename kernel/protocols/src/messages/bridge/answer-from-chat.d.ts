import type { AnswerBody, ChatCompletion } from '@svc/contracts';
/** The first answer of a completion as a message: what its frames would come to. */
export declare function answerFromChat({ choices, usage, ...head }: ChatCompletion): AnswerBody;
//# sourceMappingURL=answer-from-chat.d.ts.map