import type { Answer } from './model-config.ts';
import type { Runtime, Session } from './runtime.ts';

/** The inputs of an encoder, as Hugging Face's exporter names them. */
const INPUTS: Readonly<Record<string, (isText: boolean, id: number) => number>> = {
  input_ids: (_, id) => id,
  attention_mask: (isText) => (isText ? 1 : 0),
  token_type_ids: () => 0,
};

/** Only fatal errors are printed. All errors are thrown. */
const QUIET = { logSeverityLevel: 4 } as const;

/** A text-classification model: from tokens to a score for each label. */
export class TokenModel {
  readonly #runtime: Runtime;
  readonly #session: Session;
  readonly #answer: Answer;
  /** The number of tokens, if the model reads exactly that many. Null: any number. */
  readonly length: number | null;

  private constructor(runtime: Runtime, session: Session, answer: Answer) {
    this.#runtime = runtime;
    this.#session = session;
    this.#answer = answer;
    const fixed = session.inputMetadata.find(({ name }) => name === 'input_ids')?.shape?.[1];
    this.length = typeof fixed === 'number' && fixed > 0 ? fixed : null;
  }

  /** @throws {Error} if the model is no text classifier */
  static async load(runtime: Runtime, bytes: Buffer, answer: Answer): Promise<TokenModel> {
    const session = await runtime.InferenceSession.create(bytes, { executionProviders: ['wasm'], ...QUIET });
    const others = session.inputNames.filter((name) => !Object.hasOwn(INPUTS, name));
    if (others.length > 0)
      throw new Error(`it has unsupported inputs: ${others.join(', ')}; supported are ${Object.keys(INPUTS).join(', ')}`);
    return new TokenModel(runtime, session, answer);
  }

  /** A score for each label, from 0 to 1. @throws {Error} if the model returns anything else */
  async scores(ids: readonly number[]): Promise<readonly number[]> {
    const size = this.length ?? ids.length;
    const feeds = this.#session.inputNames.map((name) => {
      const value = INPUTS[name] ?? (() => 0);
      const values = BigInt64Array.from({ length: size }, (_, n) => BigInt(value(n < ids.length, ids[n] ?? 0)));
      return [name, new this.#runtime.Tensor('int64', values, [1, size])] as const;
    });
    const outputs = await this.#session.run(Object.fromEntries(feeds), QUIET);
    const { data } = outputs.logits ?? outputs[this.#session.outputNames[0] ?? ''] ?? {};
    const { labels, isExclusive } = this.#answer;
    if (!(data instanceof Float32Array) || data.length !== labels.length || !data.every(Number.isFinite))
      throw new Error(`it does not return ${labels.length} numbers (float32), one for each label`);
    return isExclusive ? softmax([...data]) : [...data].map(sigmoid);
  }
}

function softmax(logits: readonly number[]): readonly number[] {
  const highest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
