import type { Place } from '@svc/contracts';
/** What a place means, wherever its item stands. @param place as {@link answerPlace} and {@link requestPlace} write it */
export declare function meaningOf(place: string): Partial<Place>;
/** A place of a request: with `item` for any item, and `tools` for any tools. */
export declare function requestPlace(pattern: string): string;
/** A place of an answer, in the same words. It repeats fields of its request. */
export declare function answerPlace(pattern: string): string;
//# sourceMappingURL=places.d.ts.map