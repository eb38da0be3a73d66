import { type ChatCompletion, type ThinkingBlock } from '@svc/contracts';
import { LeftOut } from './left-out.ts';
/**
 * The answer with only the fields of which segments are collected. `logprobs` (which repeat the text token by token) and fields that did not
 * exist when this was written are left out, since they could carry text past an egress guard. `svc_left_out` names them.
 */
export declare function knownAnswer(completion: ChatCompletion): ChatCompletion;
/** Null, and noted, where it is no block, or none that its vendor would take back. */
export declare function knownBlock(block: unknown, left: LeftOut): ThinkingBlock | null;
//# sourceMappingURL=known-answer.d.ts.map