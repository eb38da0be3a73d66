import { join } from 'node:path';
import { answerOf, lengthOf } from './model-config.ts';
import { jsonIn, readFiles } from './read-files.ts';
import { importRuntime } from './runtime.ts';
import { TokenModel } from './token-model.ts';
import { Windows } from './windows.ts';

/** Plain data, which is sent to threads. */
export interface ModelSettings {
  readonly folder: string;
  readonly sha256: string;
  /** Names of the labels whose scores are wanted. */
  readonly labels: readonly string[];
  readonly max_tokens: number;
  /** URL of the module of ONNX Runtime. */
  readonly runtime: string;
}

export interface Model {
  /** The score of each label: the highest of the windows of the text, from 0 to 1 in thousandths. */
  score(text: string): Promise<readonly number[]>;
}

/** @throws {Error} with the name of the file, if it is missing, changed or cannot be used */
export async function loadModel({ folder, sha256, labels, max_tokens, runtime }: ModelSettings): Promise<Model> {
  const files = await readFiles(folder, sha256);
  const naming = async <T>(name: string, use: () => T | Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (error) {
      throw new Error(`${join(folder, name)} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const json = (name: string) => jsonIn(files, folder, name);
  const [config, tokenizerConfig, tokenizer] = ['config.json', 'tokenizer_config.json', 'tokenizer.json'].map(json);
  const answer = await naming('config.json', () => answerOf(config ?? {}));
  const wanted = labels.map((name) => answer.labels.indexOf(name));
  const unknown = labels.filter((_, n) => wanted[n] === -1);
  if (unknown.length > 0)
    throw new Error(`${join(folder, 'config.json')} has no label ${unknown.join(', ')}; it has ${answer.labels.join(', ')}`);
  const ort = await importRuntime(runtime);
  const model = await naming('model.onnx', () => TokenModel.load(ort, files.get('model.onnx') ?? Buffer.of(), answer));
  const length = lengthOf(config ?? {}, tokenizerConfig ?? {}, Math.min(max_tokens, model.length ?? max_tokens));
  const windows = await naming('tokenizer.json', () => new Windows(tokenizer ?? {}, tokenizerConfig ?? {}, length));

  const score = async (text: string): Promise<readonly number[]> => {
    let highest = wanted.map(() => 0);
    for (const window of windows.of(text)) {
      const scores = await model.scores(window);
      highest = highest.map((score, n) => Math.max(score, scores[wanted[n] ?? -1] ?? Number.NaN));
    }
    return highest.map((score) => Math.round(score * 1000) / 1000);
  };
  // A model that loads may still not answer.
  await naming('model.onnx', () => score('a'));
  return { score };
}
