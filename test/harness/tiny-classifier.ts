import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TinyModel, tinyOnnx } from './onnx-model.ts';

/** The words of the vocabulary, with their tokens. Every other word is `[UNK]`. */
const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'a', 'attack', 'hate', 'mild', '##ers', 'good', 'words'];
export const LABELS = ['SAFE', 'ATTACK', 'severe toxicity'];

const token = (id: number, content: string) => ({
  id,
  content,
  special: true,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
});

/** A tokenizer of WordPiece, in the form of Hugging Face's `tokenizer.json`. */
export const TOKENIZER = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [0, 1, 2, 3].map((id) => token(id, WORDS[id] ?? '')),
  normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
    },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

export const MODEL: TinyModel = {
  tokens: WORDS.length,
  bias: [4, 0, 0],
  weights: { [WORDS.indexOf('attack')]: [0, 8, 0], [WORDS.indexOf('hate')]: [0, 0, 8], [WORDS.indexOf('mild')]: [0, 4, 0] },
};

export const CONFIG = { id2label: Object.fromEntries(LABELS.map((label, id) => [id, label])), max_position_embeddings: 64 };

interface Parts {
  readonly model?: TinyModel;
  readonly config?: object;
  readonly tokenizer?: object;
}

/** Writes a model that finds `attack` (`ATTACK`, surely), `mild` (`ATTACK`, 0.5) and `hate` (`severe toxicity`). @returns its digest */
export function writeClassifier(folder: string, { model = MODEL, config = CONFIG, tokenizer = TOKENIZER }: Parts = {}): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), tinyOnnx(model));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  return digestOf(folder);
}

/** As README.md computes it with `sha256sum`. */
export function digestOf(folder: string): string {
  const names = ['config.json', 'model.onnx', 'tokenizer.json'];
  return sha256(names.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`).join(''));
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}
