/** Writes a tiny text classifier as an ONNX file: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */

type Bytes = readonly number[];

const FLOAT = 1;
const INT64 = 7;

function varint(value: number): Bytes {
  return value > 127 ? [(value % 128) | 128, ...varint(Math.floor(value / 128))] : [value];
}
const int = (field: number, value: number): Bytes => [...varint(field * 8), ...varint(value)];
const block = (field: number, bytes: Bytes): Bytes => [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
const text = (field: number, value: string): Bytes => block(field, [...Buffer.from(value)]);

/** An attribute that is an integer, or a list of them. */
function attribute(name: string, value: number | readonly number[]): Bytes {
  const own = typeof value === 'number' ? [...int(3, value), ...int(20, 2)] : [...value.flatMap((n) => int(8, n)), ...int(20, 7)];
  return block(5, [...text(1, name), ...own]);
}

function node(type: string, inputs: readonly string[], output: string, attributes: Bytes = []): Bytes {
  return block(1, [...inputs.flatMap((name) => text(1, name)), ...text(2, output), ...text(4, type), ...attributes]);
}

function weights(name: string, dims: readonly number[], values: readonly number[]): Bytes {
  const raw = [...new Uint8Array(Float32Array.from(values).buffer)];
  return block(5, [...dims.flatMap((dim) => int(1, dim)), ...int(2, FLOAT), ...text(8, name), ...block(9, raw)]);
}

/** An input (field 11) or an output (field 12). A string is the name of a length that may vary. */
function value(field: 11 | 12, name: string, type: number, dims: readonly (number | string)[]): Bytes {
  const shape = dims.flatMap((dim) => block(1, typeof dim === 'string' ? text(2, dim) : int(1, dim)));
  return block(field, [...text(1, name), ...block(2, block(1, [...int(1, type), ...block(2, shape)]))]);
}

export interface TinyModel {
  /** Number of tokens in the vocabulary. */
  readonly tokens: number;
  /** The logit of each label for a text without known tokens. */
  readonly bias: readonly number[];
  /** What a token adds to the logits of the labels. The text has the highest of its tokens. */
  readonly weights: Readonly<Record<number, readonly number[]>>;
  /** The model reads exactly this many tokens. Default: any number. */
  readonly length?: number;
  /** Names of further inputs. */
  readonly inputs?: readonly string[];
}

/** An embedding for each token, the highest value of each dimension over the text, and a linear layer. */
export function tinyOnnx({ tokens, bias, weights: own, length, inputs = ['attention_mask'] }: TinyModel): Buffer {
  const labels = bias.length;
  const embedding = Array.from({ length: tokens }, (_, id) => own[id] ?? bias.map(() => 0)).flat();
  const identity = bias.flatMap((_, row) => bias.map((_, column) => (row === column ? 1 : 0)));
  const sizes = ['batch', length ?? 'sequence'];
  const graph = [
    ...node('Gather', ['embedding', 'input_ids'], 'each'),
    ...node('ReduceMax', ['each'], 'highest', [...attribute('axes', [1]), ...attribute('keepdims', 0)]),
    ...node('Gemm', ['highest', 'linear', 'bias'], 'logits'),
    ...text(2, 'tiny'),
    ...weights('embedding', [tokens, labels], embedding),
    ...weights('linear', [labels, labels], identity),
    ...weights('bias', [labels], bias),
    ...['input_ids', ...inputs].flatMap((name) => value(11, name, INT64, sizes)),
    ...value(12, 'logits', FLOAT, ['batch', labels]),
  ];
  return Buffer.from([...int(1, 8), ...block(7, graph), ...block(8, [...text(1, ''), ...int(2, 13)])]);
}
