/** The beginning of an upstream's sentence that cannot be the caller's: what follows a quotation or repeats a request is cut. */
export declare function ownWords(text: string): string;
/**
 * A pattern at the beginning of a sentence: only few words may come before it, and no colon or semicolon. It reads in linear time where
 * the pattern does.
 */
export declare function atBeginning({ source }: RegExp): RegExp;
//# sourceMappingURL=own-words.d.ts.map