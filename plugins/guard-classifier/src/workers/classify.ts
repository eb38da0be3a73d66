import { loadModel, type ModelSettings } from '../model/load-model.ts';

const settings: ModelSettings = JSON.parse(new URL(import.meta.url).searchParams.get('model') ?? '');
const model = await loadModel(settings);

/** The scores of each text: one for each label of the settings. */
export default async function classify(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
  const scores: (readonly number[])[] = [];
  // One after another, not padded into one batch: in a quantised model, the texts of a batch change each other's scores.
  for (const text of texts) scores.push(await model.score(text));
  return scores;
}
