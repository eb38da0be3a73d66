/** The known fields, in the order in which they are written. */
declare const FIELDS: {
    readonly answer: readonly ['id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier', 'usage', 'choices'];
    readonly choice: readonly ['index', 'finish_reason', 'message'];
    readonly message: readonly ['role', 'content', 'refusal', 'reasoning_content', 'reasoning', 'thinking_blocks', 'reasoning_details', 'annotations', 'vendor_calls', 'audio', 'function_call', 'tool_calls'];
    readonly block: readonly ['type', 'thinking', 'signature', 'data'];
    readonly call: readonly ['id', 'type', 'function', 'custom', 'extra_content'];
};
type Part = keyof typeof FIELDS;
/**
 * The fields of an answer that were left out because no guard can check them, by their paths in a whole answer, streamed or not. A name that is
 * not in our list could be any text: it is reported as `other`.
 */
export declare class LeftOut {
    #private;
    /** In order. */
    get names(): readonly string[];
    /** Notes the fields of a part of an answer that are not known. `also`: a known field that only the part of a chunk has. */
    note(part: Part, value: object, also?: string): void;
    /** The known fields of a part; the others are noted. */
    known<T extends object>(part: Part, value: T): T;
    /** Notes a block of thinking that has not the closed form of one. */
    noteBlock(): void;
}
export {};
//# sourceMappingURL=left-out.d.ts.map