import type { AnswerBody, AnswerIdentity, ChatCompletion, JsonObject } from '@svc/contracts';
import { Lost } from '../../lost.ts';
/**
 * A message as a chat completion. `svc_left_out` names the blocks and fields for which that has no place.
 * @throws {ProviderError} `malformed` for anything that is not a message
 */
export declare function answerToChat(answer: AnswerBody, identity: AnswerIdentity): ChatCompletion;
/** `id` and `model` of an answer: the message's own if it has them. */
export declare function headIn({ id, model }: Readonly<Record<string, unknown>>, otherwise: AnswerIdentity): AnswerIdentity;
/** Notes what the chat format cannot say of why an answer ended. */
export declare function noteEnding({ stop_reason, stop_sequence, stop_details }: Readonly<Record<string, unknown>>, lost: Lost): void;
/** Notes a block for which the chat format has no place, and the citations of one for which it has. */
export declare function noteLost({ type, citations }: JsonObject, lost: Lost): void;
//# sourceMappingURL=answer-to-chat.d.ts.map