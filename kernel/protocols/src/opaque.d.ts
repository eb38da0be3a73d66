import type { OpaqueKind } from '@svc/contracts';
export declare const HANDLE_PREFIX = "svc_opaque_";
/** Whether a value has the form of what nobody but its vendor reads. Anything else in its place is text. */
export declare function isOpaque(value: string): boolean;
/** Whether a value has the form of the gateway's own handles. Only revealing tells whether it is one. */
export declare function isHandle(value: string): boolean;
/** A handle goes to the model as what it stands for, or not at all. Anything else goes as it is. */
export declare const sealedValue: OpaqueKind;
/** Bytes as base64. A value without the form of bytes is text, wherever it stands. */
export declare const bytesOf: (why: 'audio' | 'file' | 'image') => OpaqueKind;
/** A link to an image, or its bytes in the link. */
export declare const imageLink: OpaqueKind;
/** A reference to something stored at the vendor. */
export declare const storedAs: (why: 'audio' | 'file' | 'image') => OpaqueKind;
//# sourceMappingURL=opaque.d.ts.map