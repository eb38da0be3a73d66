import { type JsonObject, type JsonValue } from '@svc/contracts';
/**
 * What an upstream's error says: its objects, outermost first, the classes that stand before its sentences, and these. All are for reading only:
 * sentences may quote the caller.
 */
export interface ErrorWords {
    readonly objects: readonly JsonObject[];
    readonly classes: readonly string[];
    readonly texts: readonly string[];
}
/** @param body what an upstream sent in place of an answer, as JSON or as it came */
export declare function wordsOf(body: JsonValue | undefined): ErrorWords;
//# sourceMappingURL=error-words.d.ts.map