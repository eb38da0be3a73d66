/** A function call of an earlier answer, as the caller sends it back. `arguments`: what a model wrote, so it may be no JSON. */
export interface FunctionCall {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
}
/** Reads a member of a message's `tool_calls`, which the gateway passes on as callers write it. Null: it is no function call. */
export declare function functionCallOf(call: unknown): FunctionCall | null;
//# sourceMappingURL=function-call.d.ts.map