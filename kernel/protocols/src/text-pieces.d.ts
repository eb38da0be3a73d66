/**
 * Joins the pieces of streamed texts to well-formed Unicode. Some servers cut a text between the two halves (surrogates) of one
 * character, an emoji for example: made well-formed piece by piece, that one character would become two U+FFFD. So a first half at the
 * end of a piece waits for the next piece of the same text.
 */
export declare class TextPieces {
    #private;
    /**
     * The next piece, well-formed; a half character at its end is held back.
     * @param text tells which text the piece belongs to, where a stream carries several
     */
    push(text: string, piece: string): string;
    /** To be called when the text has ended: what is left of it, which is nothing or U+FFFD. */
    end(text: string): string;
}
//# sourceMappingURL=text-pieces.d.ts.map