import type { ChatUsage, TokenUsage } from '@svc/contracts';
/** The provider's own figures; null where it gave none that can be read. */
export declare function reportedUsage(usage: ChatUsage | null | undefined): TokenUsage | null;
/** The same in OpenAI's words, for an answer that came without. */
export declare function chatUsage({ input_tokens, output_tokens }: TokenUsage): ChatUsage;
//# sourceMappingURL=usage.d.ts.map