import { describe, expect, it, test } from 'vitest';
import { answerOf, lengthOf } from './model-config.ts';
import { Windows } from './windows.ts';

const WORDS = ['<pad>', '<unk>', '<s>', '</s>', 'a', 'b', 'c', '▁a', '▁b', '▁c', '▁', 'Ġ', 'Ġa', 'Ġb', 'ab'];
const ids = (...words: string[]): number[] => words.map((word) => WORDS.indexOf(word));
const vocab = Object.fromEntries(WORDS.map((word, id) => [word, id]));
const special = { added_tokens: ids('<s>', '</s>').map((id) => ({ id, content: WORDS[id], special: true, normalized: false })) };
const wrapped = {
  post_processor: { type: 'RobertaProcessing', sep: ['</s>', 3], cls: ['<s>', 2], trim_offsets: true, add_prefix_space: false },
};

const TOKENIZERS = {
  WordPiece: {
    pre_tokenizer: { type: 'Whitespace' },
    model: { type: 'WordPiece', unk_token: '<unk>', continuing_subword_prefix: '', max_input_chars_per_word: 100, vocab },
  },
  BPE: {
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      unk_token: null,
      vocab,
      merges: [
        ['a', 'b'],
        ['Ġ', 'a'],
        ['Ġ', 'b'],
      ],
    },
  },
  Unigram: {
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    model: { type: 'Unigram', unk_id: 1, vocab: WORDS.map((word) => [word, /^▁./.test(word) ? -2 : -5]) },
  },
} as const;

const windowsOf = (name: keyof typeof TOKENIZERS, length: number) =>
  new Windows({ version: '1.0', normalizer: null, decoder: null, ...special, ...wrapped, ...TOKENIZERS[name] }, {}, length);

describe('windows of a tokenizer', () => {
  it.each<[keyof typeof TOKENIZERS, number[]]>([
    ['WordPiece', ids('<s>', 'a', 'b', 'ab', '</s>')],
    ['BPE', ids('<s>', 'a', 'Ġb', 'Ġ', 'ab', '</s>')],
    ['Unigram', ids('<s>', '▁a', '▁b', '▁a', 'b', '</s>')],
  ])('of %s', (name, tokens) => {
    expect([...windowsOf(name, 20).of('a b ab')]).toEqual([tokens]);
  });

  it.each(Object.keys(TOKENIZERS) as (keyof typeof TOKENIZERS)[])('cover each token of a long text: %s', (name) => {
    for (let words = 0; words < 60; words += 1) {
      const text = Array.from({ length: words }, (_, n) => 'abc'[n % 3]).join(' ');
      const whole = [...windowsOf(name, 1_000).of(text)].flat().slice(1, -1);
      const windows = [...windowsOf(name, 18).of(text)].map((window) => window.slice(1, -1));
      expect(windows.every((window) => window.length <= 16)).toBe(true);
      // Each but the first begins with the last 4 tokens of the one before.
      expect(windows.flatMap((window, n) => (n === 0 ? window : window.slice(4)))).toEqual(whole);
      for (const [n, window] of windows.entries()) if (n > 0) expect(window.slice(0, 4)).toEqual(windows[n - 1]?.slice(-4));
    }
  });

  it('need room for a text, and a tokenizer that knows letters', () => {
    expect(() => windowsOf('WordPiece', 9)).toThrow('no room');
    expect(() => new Windows({}, {}, 512)).toThrow();
  });
});

test.each<[object, object, number, number]>([
  [{}, {}, 512, 512],
  [{ max_position_embeddings: 512 }, { model_max_length: 1e30 }, 8_192, 512],
  [{ max_position_embeddings: 514, model_type: 'xlm-roberta', pad_token_id: 1 }, {}, 8_192, 512],
  [{ max_position_embeddings: 514, model_type: 'mpnet' }, {}, 8_192, 512],
  [{ max_position_embeddings: 8_192, model_type: 'modernbert', pad_token_id: 50_283 }, { model_max_length: 1_024 }, 8_192, 1_024],
  [{ max_position_embeddings: 512 }, {}, 128, 128],
])('a model of %j and %j reads at most %d tokens: %d', (config, tokenizer, most, length) => {
  expect(lengthOf(config as Record<string, unknown>, tokenizer as Record<string, unknown>, most)).toBe(length);
});

test.each<[object, boolean]>([
  [{ id2label: { 0: 'a', 1: 'b' } }, true],
  [{ id2label: { 0: 'a', 1: 'b' }, problem_type: 'single_label_classification' }, true],
  [{ id2label: { 0: 'a', 1: 'b' }, problem_type: 'multi_label_classification' }, false],
  [{ id2label: { 0: 'a' } }, false],
])('whether the labels of %j exclude each other: %s', (config, isExclusive) => {
  expect(answerOf(config as Record<string, unknown>).isExclusive).toBe(isExclusive);
});

test('labels in another order than their numbers, and more than nine', () => {
  const id2label = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [11 - n, `label ${11 - n}`]));
  expect(answerOf({ id2label }).labels[10]).toBe('label 10');
});
