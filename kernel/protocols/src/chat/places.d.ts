import type { OpaqueKind } from '@svc/contracts';
export declare function isSealed(pattern: string): boolean;
export declare function isSigned(pattern: string): boolean;
/** A link to an image and a reference to a stored file are segments, too; bytes are not. Null: always text. */
export declare function opaqueKindOf(pattern: string): OpaqueKind | null;
/** Fields whose string is JSON written by a model: decoded, and scanned leaf by leaf. */
export declare function isToolArguments(pattern: string): boolean;
/**
 * Whose string in this field may be JSON that its reader gets unchanged: any role's in the input of a custom tool and in the call of a vendor's
 * tool, whose texts a model or a tool wrote; a tool's in the content of its message.
 */
export declare function mayBeJsonOf(pattern: string): 'anyone' | 'tool' | null;
export declare function isName(pattern: string): boolean;
/** `call`: it links a tool's result to its call, so that its places change together. */
export declare function idKind(pattern: string): 'call' | 'other' | null;
//# sourceMappingURL=places.d.ts.map