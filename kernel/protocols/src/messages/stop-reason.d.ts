/** `finish_reason` of the chat format for a `stop_reason`. After `pause_turn`, the turn of a server tool is not at its end. */
export declare function finishReason(stop_reason: unknown): string;
//# sourceMappingURL=stop-reason.d.ts.map