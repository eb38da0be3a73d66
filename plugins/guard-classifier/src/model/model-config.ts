type Json = Readonly<Record<string, unknown>>;

/** Families whose positions begin after the padding token. A model for 512 tokens has 514 positions. */
const PADDED_POSITIONS = /roberta|camembert|mpnet|longformer|data2vec-text|^xmod$|^esm$/;
/** The length of BERT and its descendants. */
const USUAL_TOKENS = 512;

/** What `config.json` says about the model's answer. */
export interface Answer {
  /** Names of all labels, in the order of the scores. */
  readonly labels: readonly string[];
  /** Labels exclude each other (softmax), or each is a question of its own (sigmoid). */
  readonly isExclusive: boolean;
}

/** @throws {Error} if `id2label` is missing or has gaps */
export function answerOf(config: Json): Answer {
  const { id2label, problem_type } = config;
  if (typeof id2label !== 'object' || id2label === null) throw new Error('it has no id2label');
  const names = Object.keys(id2label).map((_, id) => Reflect.get(id2label, String(id)));
  if (names.length === 0 || !names.every((name) => typeof name === 'string')) throw new Error('its id2label has gaps');
  return { labels: names, isExclusive: problem_type !== 'multi_label_classification' && names.length > 1 };
}

/** How many tokens a model reads, at most `most`. */
export function lengthOf(config: Json, tokenizerConfig: Json, most: number): number {
  const { model_type, max_position_embeddings: positions, pad_token_id: padding } = config;
  const isPadded = typeof model_type === 'string' && PADDED_POSITIONS.test(model_type);
  const reserved = isPadded ? (isCount(padding) ? padding : 1) + 1 : 0;
  const limits = [tokenizerConfig.model_max_length, isCount(positions) ? positions - reserved : null].filter(isCount);
  return Math.min(most, ...(limits.length === 0 ? [USUAL_TOKENS] : limits));
}

/** Some tokenizers have 1e30 for "no limit". */
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
