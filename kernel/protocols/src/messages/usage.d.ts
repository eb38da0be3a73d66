import { type ChatUsage, type TokenUsage } from '@svc/contracts';
/** The upstream's own figures; null where it gave none that can be read. */
export declare function reportedTokens(usage: unknown): TokenUsage | null;
/** The same as OpenAI's `usage`. `cache_creation_tokens` is LiteLLM's name. */
export declare function usageToChat(usage: unknown): ChatUsage | undefined;
/** OpenAI's `usage` in the words of the Messages API. Tokens of the cache are counted apart from the others. */
export declare function usageFromChat(usage: ChatUsage | null | undefined): {
    input_tokens: number;
    cache_creation_input_tokens: number;
    cache_read_input_tokens: number;
    output_tokens: number;
    output_tokens_details?: {
        thinking_tokens: number;
    };
};
/** Counts of a stream are of the whole so far: the last of each holds, and an absent one has not changed. */
export declare class StreamedUsage {
    #private;
    take(usage: unknown): void;
    /** Without a valid last count what was written is nothing: the gateway counts it by itself. */
    get whole(): unknown;
}
//# sourceMappingURL=usage.d.ts.map