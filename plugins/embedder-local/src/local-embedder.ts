import { ProviderError } from '@svc/sdk';
import type { Embedder } from '@svc/sdk/vectors';
import { Turns } from '@svc/toolkit/work';
import { vectorOf } from './vector.ts';
import { WordCounts } from './word-counts.ts';
import { wordsOf } from './words.ts';

/**
 * Weights the words of a document by frequency, and those of a question also by their rarity among the documents (`lnc.ltc` in Manning, Raghavan and
 * Schütze, Introduction to Information Retrieval, 6.4.3). So stored vectors stay valid when documents are added.
 */
export class LocalEmbedder implements Embedder {
  readonly model = 'local-words-1';
  readonly in_process = true;
  readonly dimensions: number;
  #counts: WordCounts | null = null;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  async open({ folder }: { readonly folder: string | null }): Promise<void> {
    this.#counts = await WordCounts.open(folder);
  }

  async embed(texts: readonly string[], use: 'document' | 'query', signal: AbortSignal): Promise<readonly Float32Array[]> {
    const counts = this.#counts;
    if (counts === null) throw new ProviderError('unavailable', { cause: 'not open' });
    const weigh = use === 'document' ? () => 1 : (word: string) => counts.idf(word);
    const vectors: Float32Array[] = [];
    const documents: ReadonlyMap<string, number>[] = [];
    const turns = new Turns();
    const notGivenUp = (): void => {
      if (signal.aborted) throw new ProviderError('aborted');
    };
    for (const text of texts) {
      notGivenUp();
      const words = await wordsOf(text, turns);
      notGivenUp();
      vectors.push(await vectorOf(words, this.dimensions, weigh, turns));
      documents.push(words);
    }
    if (use === 'document' && documents.length > 0) await counts.add(documents, turns);
    return vectors;
  }

  async close(): Promise<void> {
    await this.#counts?.settled();
  }
}
