/** A set of words that are written with white space between them. */
export declare function words(list: string): ReadonlySet<string>;
export declare const NO_WORDS: ReadonlySet<string>;
//# sourceMappingURL=words.d.ts.map