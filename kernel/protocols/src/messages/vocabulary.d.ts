import { type Vocabulary } from '@svc/contracts';
/** @param block the place within a content block; null: elsewhere */
export declare function vocabularyOf(of: 'request' | 'answer' | 'frame', pattern: string, block: string | null): Vocabulary;
//# sourceMappingURL=vocabulary.d.ts.map