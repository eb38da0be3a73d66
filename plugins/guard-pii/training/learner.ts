import { isCandidate, listsOf } from '../src/names/candidates.ts';
import { BUCKETS, featuresOf, MAX_FEATURES } from '../src/names/features.ts';
import { COMMON, ENGLISH, type WordLists } from '../src/names/lists.ts';
import type { Weights } from '../src/names/model.ts';
import { type Token, tokensOf } from '../src/names/tokens.ts';
import type { Document, Label } from './documents.ts';
import type { Random } from './random.ts';

/** How often a listed word of an invented sentence counts as unlisted. */
const FORGOTTEN = 0.25;

/** Logistic regression by stochastic gradient descent with AdaGrad step sizes. */
class Regression {
  readonly weights = new Float64Array(BUCKETS);
  readonly #squares = new Float64Array(BUCKETS).fill(1);
  readonly #rate: number;
  readonly #decay: number;

  constructor(rate: number, decay: number) {
    this.#rate = rate;
    this.#decay = decay;
  }

  learn(features: Int32Array, count: number, target: 0 | 1, importance: number): void {
    const { weights } = this;
    let sum = 0;
    for (let at = 0; at < count; at++) sum += weights[features[at] ?? 0] ?? 0;
    const error = (1 / (1 + Math.exp(-sum)) - target) * importance;
    for (let at = 0; at < count; at++) {
      const place = features[at] ?? 0;
      const gradient = error + this.#decay * (weights[place] ?? 0);
      const square = (this.#squares[place] ?? 1) + gradient * gradient;
      this.#squares[place] = square;
      weights[place] = (weights[place] ?? 0) - (this.#rate * gradient) / Math.sqrt(square);
    }
  }

  quantised(): Weights {
    let most = 0;
    for (const weight of this.weights) most = Math.max(most, Math.abs(weight));
    const scale = Math.min(most, CLIP) / 127;
    return { table: Int8Array.from(this.weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale)))), scale };
  }
}

const CLIP = 2.5;

export class Learner {
  readonly #lists: WordLists;
  readonly #random: Random;
  readonly #features = new Int32Array(MAX_FEATURES);
  readonly #person = new Regression(0.1, 2e-5);
  readonly #location = new Regression(0.1, 2e-5);

  constructor(lists: WordLists, random: Random) {
    this.#lists = lists;
    this.#random = random;
  }

  learn(document: Document, importance: number): void {
    const tokens = tokensOf(document.text);
    if (document.invented) this.#forget(tokens);
    for (let at = 0; at < tokens.length; at++) {
      if (!isCandidate(tokens, at, this.#lists)) continue;
      const label = labelOf(document, tokens[at]);
      if (label === 'UNKNOWN') continue;
      const count = featuresOf(document.text, tokens, at, this.#lists, this.#features);
      this.#person.learn(this.#features, count, label === 'PERSON' ? 1 : 0, importance);
      if (label !== 'STREET') this.#location.learn(this.#features, count, label === 'LOCATION' ? 1 : 0, importance);
    }
  }

  #forget(tokens: readonly Token[]): void {
    for (const token of tokens)
      if (listsOf(token, this.#lists) > 0 && this.#random.chance(FORGOTTEN)) token.lists &= ENGLISH | COMMON;
  }

  person(): Weights {
    return this.#person.quantised();
  }

  location(): Weights {
    return this.#location.quantised();
  }
}

function labelOf({ spans }: Document, token: Token | undefined): Label | undefined {
  return token && spans.find(({ start, end }) => token.start >= start && token.start < end)?.label;
}
