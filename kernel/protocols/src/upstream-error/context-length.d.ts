import type { ContextLength } from '@svc/contracts';
import type { ErrorWords } from './error-words.ts';
/** @property isNamed whether a name or a field says it, and not only a sentence */
export interface TooLong {
    readonly length: ContextLength;
    readonly isNamed: boolean;
}
/** By how much a request was too long, of an upstream's error; null where it says something else. */
export declare function contextLengthIn({ objects, classes, texts }: ErrorWords): TooLong | null;
//# sourceMappingURL=context-length.d.ts.map