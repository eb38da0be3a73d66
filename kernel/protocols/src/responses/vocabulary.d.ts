import { type Vocabulary } from '@svc/contracts';
/** The values that need no check in a place. */
export declare function vocabularyOf(place: string): Vocabulary;
export declare function isQuantity(place: string): boolean;
//# sourceMappingURL=vocabulary.d.ts.map