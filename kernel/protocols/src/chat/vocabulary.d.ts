import { type Vocabulary } from '@svc/contracts';
/** Values of the chat format that mean the same in every request and answer: no guard has to check them. Any other value is text. */
export declare const ROLES: ReadonlySet<string>;
/** The values that need no check in a place. */
export declare function vocabularyOf(of: 'request' | 'answer', pattern: string): Vocabulary;
export declare function isQuantity(of: 'request' | 'answer', pattern: string): boolean;
export declare function isOwn(of: 'request' | 'answer', pattern: string): boolean;
//# sourceMappingURL=vocabulary.d.ts.map