import { type JsonObject } from '@svc/contracts';
/** A content block that grows by its deltas to what it is in a whole message. */
export declare class GrowingBlock {
    #private;
    /** @param block as it began */
    constructor(block: JsonObject);
    take({ type, ...delta }: JsonObject): void;
    /** Whether its input came in pieces. */
    get isWritten(): boolean;
    get value(): JsonObject;
}
//# sourceMappingURL=growing-block.d.ts.map