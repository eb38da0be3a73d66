import { inflateRawSync } from 'node:zlib';
import { BUCKETS } from './features.ts';
import { WordLists } from './lists.ts';
import { MODEL } from './model.generated.ts';

/** The weights of one entity. The sum of the weights of a candidate's features, times `scale`, is the log-odds of the entity. */
export interface Weights {
  readonly table: Int8Array;
  readonly scale: number;
}

export interface Model {
  readonly person: Weights;
  readonly location: Weights;
  readonly lists: WordLists;
}

let loaded: Model | undefined;

/** Unpacks the model on the first call, which takes a few milliseconds. */
export function model(): Model {
  loaded ??= unpacked();
  return loaded;
}

function unpacked(): Model {
  const bytes = inflateRawSync(Buffer.from(MODEL.data, 'base64'));
  const table = (from: number) => new Int8Array(bytes.buffer, bytes.byteOffset + from, BUCKETS);
  return {
    person: { table: table(0), scale: MODEL.personScale },
    location: { table: table(BUCKETS), scale: MODEL.locationScale },
    lists: new WordLists(bytes.subarray(2 * BUCKETS)),
  };
}
