import { type OpaqueKind } from '@svc/contracts';
/** A place within the innermost content block. */
export interface BlockPlace {
    readonly rest: string;
    /** Whether its block stands in another one. */
    readonly isNested: boolean;
}
/** Null: it is in no block. */
export declare function blockPlace(of: 'request' | 'answer', pattern: string): BlockPlace | null;
export declare function isSealed(block: string): boolean;
/** Null: always text. */
export declare function opaqueKindOf(block: string): OpaqueKind | null;
/** Names of tools and of servers. */
export declare function isName(pattern: string, block: string | null): boolean;
/** `call`: it links a tool's result to its call. */
export declare function idKind(pattern: string, block: string | null): 'call' | 'other' | null;
export declare function isQuantity(of: 'request' | 'answer', pattern: string, block: string | null): boolean;
//# sourceMappingURL=places.d.ts.map