import type { AnswerFrame } from '@svc/contracts';
import fc from 'fast-check';

const FRAME = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm-1' };
const USAGE = { ...FRAME, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
const chunk = (index: number, delta: object, finish_reason: string | null = null): AnswerFrame =>
  ({ ...FRAME, choices: [{ index, delta, finish_reason }] }) as AnswerFrame;

/** Places in a delta where clients concatenate pieces of a text. */
const FORMS: Readonly<Record<string, (text: string) => object>> = {
  content: (content) => ({ content }),
  refusal: (refusal) => ({ refusal }),
  reasoning: (reasoning_content) => ({ reasoning_content }),
  'a novel field': (novel) => ({ novel }),
  'a key with a dot': (text) => ({ 'a.b': text }),
  'within an object': (b) => ({ a: { type: 't', b } }),
  'a numbered item': (text) => ({ list: [{ index: 3, type: 't', text, n: 1 }] }),
  'another numbered item': (text) => ({ list: [{ index: 1, text }] }),
  'an item': (text) => ({ items: [{ text }] }),
  'a key that is a number': (text) => ({ keys: { 0: text } }),
  'a masked key': (text) => ({ masked: { 'top secret': text } }),
  audio: (transcript) => ({ audio: { id: 'a', transcript } }),
  'beside audio': (note) => ({ audio: { note } }),
  'a numbered annotation': (title) => ({ annotations: [{ index: 1, title }] }),
  thinking: (thinking) => ({ thinking_blocks: [{ type: 'thinking', thinking }] }),
  'beside thinking': (note) => ({ thinking_blocks: [{ type: 'thinking', note }] }),
  'a detail': (text) => ({ reasoning_details: [{ type: 'reasoning.text', index: 0, text }] }),
  'a function': (text) => ({ tool_calls: [{ index: 0, type: 'function', function: { arguments: text } }] }),
  'a custom tool': (input) => ({ tool_calls: [{ index: 5, type: 'custom', custom: { input } }] }),
  'the old function': (text) => ({ function_call: { arguments: text } }),
  role: (role) => ({ role }),
  __proto__: (text) => JSON.parse(`{"__proto__":${JSON.stringify(text)}}`),
};

const text = fc
  .array(fc.constantFrom('a', ' ', 'top secret', 'top secret', 'top ', 'secret', 'op', 'top secre', '😀', 'some more words, '), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

function cut(whole: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < whole.length; from += pieces.at(-1)?.length ?? 0) {
    const size = sizes[pieces.length % sizes.length] ?? 1;
    const piece = whole.slice(from, from + size);
    pieces.push(piece.isWellFormed() ? piece : whole.slice(from, from + size + 1));
  }
  return pieces;
}

/** Interleaved texts of several choices in pieces, with finish reasons and usage between them. */
export const piecesOfChats: fc.Arbitrary<AnswerFrame[]> = fc
  .record({
    texts: fc.uniqueArray(fc.record({ index: fc.nat(2), form: fc.constantFrom(...Object.keys(FORMS)), text }), {
      selector: ({ index, form }) => `${index} ${form}`,
      minLength: 1,
      maxLength: 5,
    }),
    sizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }),
    turns: fc.array(fc.nat(4), { minLength: 1, maxLength: 12 }),
    ends: fc.array(fc.nat(30), { maxLength: 3 }),
    usage: fc.option(fc.nat(20)),
    /** Chunks that also contain the next piece, and chunks that also contain a finish reason. */
    together: fc.array(fc.nat(30), { maxLength: 4 }),
    reasons: fc.array(fc.nat(30), { maxLength: 2 }),
  })
  .map(({ texts, sizes, turns, ends, usage, together, reasons }) => {
    const frames: AnswerFrame[] = [];
    let left = texts.map((each) => ({ ...each, pieces: cut(each.text, sizes) }));
    for (let at = 0; left.length > 0; at += 1) {
      const { index, form, pieces } = left[(turns[at % turns.length] ?? 0) % left.length] ?? {
        index: 0,
        form: 'content',
        pieces: [],
      };
      frames.push(chunk(index, FORMS[form]?.(pieces.shift() ?? '') ?? {}));
      left = left.filter((each) => each.pieces.length > 0);
    }
    const indexes = [...new Set(texts.map(({ index }) => index))];
    for (const at of ends) frames.splice(at % (frames.length + 1), 0, chunk(indexes[at % indexes.length] ?? 0, {}, 'stop'));
    for (const at of reasons) for (const choice of choicesOf(frames[at])) Object.assign(choice, { finish_reason: 'length' });
    for (const at of together) {
      const [one, other] = frames.slice(at, at + 2);
      if (one !== undefined && other !== undefined)
        frames.splice(at, 2, { ...one, choices: [...choicesOf(one), ...choicesOf(other)] } as AnswerFrame);
    }
    if (usage !== null) frames.splice(usage % (frames.length + 1), 0, USAGE);
    return [...frames, ...indexes.map((index) => chunk(index, {}, 'stop'))];
  });

function choicesOf(frame: AnswerFrame | undefined): object[] {
  return (frame?.choices ?? []) as object[];
}

/** What OpenAI's clients assemble from a stream: they append strings, and match list items by number. */
export function joinedAsClientsDo(frames: readonly AnswerFrame[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const put = (value: unknown, name: string): void => {
    if (typeof value === 'string') texts.set(name, (texts.get(name) ?? '') + value);
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      const member: unknown = Reflect.get(value, key);
      const step = Array.isArray(value) ? `#${Object(member).index ?? key}` : key;
      if (key !== 'type' && key !== 'id') put(member, `${name}/${step}`);
    }
  };
  for (const { choices } of frames)
    for (const { index, delta } of (choices ?? []) as { index: number; delta: object }[]) put(delta, String(index));
  return new Map([...texts].filter(([, joined]) => joined !== ''));
}
