import { BUCKETS, type FeatureSink, readFeatures } from '../src/learned/features.ts';
import type { Weights } from '../src/learned/model.ts';
import { type Window, windowsOf } from '../src/learned/windows.ts';

/** The features of a text, and where each block of it ends. */
export interface Sample {
  readonly features: Int32Array;
  readonly ends: readonly number[];
  readonly attack: boolean;
  readonly importance: number;
}

export function sampleOf(folded: string, attack: boolean, importance: number): Sample {
  const features: number[] = [];
  const ends: number[] = [];
  const sink: FeatureSink = { feature: (bucket) => features.push(bucket), endOfBlock: () => ends.push(features.length) };
  readFeatures(folded, sink);
  return { features: Int32Array.from(features), ends, attack, importance };
}

/**
 * Logistic regression by stochastic gradient descent with AdaGrad step sizes. A text is an attack if one of its windows is, so it
 * learns from the highest-scoring window of each text.
 */
export class Learner {
  readonly weights = new Float64Array(BUCKETS);
  bias = 0;
  readonly #squares = new Float64Array(BUCKETS).fill(1e-3);
  readonly #rate: number;
  readonly #decay: number;

  constructor(rate: number, decay: number) {
    this.#rate = rate;
    this.#decay = decay;
  }

  /** The highest-scoring window, and its log-odds. */
  best({ features, ends }: Sample): { readonly window: Window; readonly odds: number } {
    const sums = [0];
    let sum = 0;
    let at = 0;
    for (const end of ends) {
      for (; at < end; at += 1) sum += this.weights[features[at] ?? 0] ?? 0;
      sums.push(sum);
    }
    let best = { window: { from: 0, to: 0 }, odds: Number.NEGATIVE_INFINITY };
    for (const window of windowsOf(ends.length)) {
      const count = (ends[window.to - 1] ?? 0) - (ends[window.from - 1] ?? 0);
      const odds = this.bias + ((sums[window.to] ?? 0) - (sums[window.from] ?? 0)) / Math.sqrt(Math.max(1, count));
      if (odds > best.odds) best = { window, odds };
    }
    return best;
  }

  learn(sample: Sample): void {
    if (sample.ends.length === 0) return;
    const { window, odds } = this.best(sample);
    const [from, to] = [sample.ends[window.from - 1] ?? 0, sample.ends[window.to - 1] ?? 0];
    const value = 1 / Math.sqrt(Math.max(1, to - from));
    const error = (1 / (1 + Math.exp(-odds)) - (sample.attack ? 1 : 0)) * sample.importance;
    this.bias -= 0.02 * error;
    for (let at = from; at < to; at += 1) {
      const place = sample.features[at] ?? 0;
      const weight = this.weights[place] ?? 0;
      const gradient = error * value + this.#decay * weight;
      const square = (this.#squares[place] ?? 0) + gradient * gradient;
      this.#squares[place] = square;
      this.weights[place] = weight - (this.#rate * gradient) / Math.sqrt(square);
    }
  }

  quantised(): Weights {
    const largest = this.weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
    const scale = largest / 127;
    return { table: Int8Array.from(this.weights, (weight) => Math.round(weight / scale)), scale, bias: this.bias };
  }
}
