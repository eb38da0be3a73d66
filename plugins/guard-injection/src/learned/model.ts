import { inflateRawSync } from 'node:zlib';
import { type FeatureSink, readFeatures } from './features.ts';
import { MODEL } from './model.generated.ts';
import { windowsOf } from './windows.ts';

/** A weight for each bucket of features. `training/README.md` describes the model. */
export interface Weights {
  readonly table: Int8Array;
  readonly scale: number;
  readonly bias: number;
}

let loaded: Weights | undefined;

/** Unpacks the weights on the first call, which takes a few milliseconds. */
function weights(): Weights {
  loaded ??= { table: new Int8Array(inflateRawSync(Buffer.from(MODEL.data, 'base64'))), scale: MODEL.scale, bias: MODEL.bias };
  return loaded;
}

/** The log-odds that a folded text contains an attack: those of its highest-scoring window. */
export function oddsOf(folded: string, { table, scale, bias }: Weights = weights()): number {
  const sums = [0];
  const counts = [0];
  let [sum, count] = [0, 0];
  const sink: FeatureSink = {
    feature(bucket) {
      sum += table[bucket] ?? 0;
      count += 1;
    },
    endOfBlock() {
      sums.push(sum);
      counts.push(count);
    },
  };
  readFeatures(folded, sink);
  let best = Number.NEGATIVE_INFINITY;
  for (const { from, to } of windowsOf(sums.length - 1)) {
    const features = (counts[to] ?? 0) - (counts[from] ?? 0);
    const odds = bias + (scale * ((sums[to] ?? 0) - (sums[from] ?? 0))) / Math.sqrt(Math.max(1, features));
    if (odds > best) best = odds;
  }
  return best;
}
