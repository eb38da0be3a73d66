import { type AnswerFrame, isObject, JSON_VALUE_BYTES } from '@svc/contracts';
import { isText } from '../../common/json-shapes.ts';

type Block =
  | { readonly type: 'thinking'; thinking: string; signature: string }
  | { readonly type: 'text'; text: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

/** Converts a model's thinking and text to frames of blocks, in the order of arrival. */
export class BlocksFromChat {
  #count = 0;
  #open: Block | null = null;
  /** The chat field that the latest text came from. */
  #field = '';
  /** How many characters of thinking were written from a complete block before the same text arrived as deltas. Guards may delay the deltas. */
  #written = 0;
  /** Bytes of thinking that are buffered. */
  held = 0;

  /** Number of blocks. */
  get count(): number {
    return this.#count;
  }

  /** @param piece a delta of the chat format */
  *take({
    reasoning_content,
    reasoning,
    thinking_blocks,
    content,
    refusal,
  }: Readonly<Record<string, unknown>>): Generator<AnswerFrame> {
    for (const block of Array.isArray(thinking_blocks) ? thinking_blocks : []) yield* this.#takeBlock(block);
    const field = isText(reasoning_content) ? 'reasoning_content' : 'reasoning';
    const thought = this.#unwritten(isText(reasoning_content) ? reasoning_content : reasoning);
    if (thought !== '') {
      yield* this.#from(field);
      yield* this.#think(thought);
    }
    if (isText(content)) {
      yield* this.#from('content');
      yield* this.#say(content);
    }
    if (isText(refusal)) {
      yield* this.#from('refusal');
      yield* this.#say(refusal);
    }
  }

  *close(): Generator<AnswerFrame> {
    if (this.#open === null) return;
    this.#open = null;
    yield { type: 'content_block_stop', index: this.#count - 1 };
  }

  /** Ends the block when a text of another field begins. Guards read each field separately, so texts of two fields must not be joined. */
  *#from(field: string): Generator<AnswerFrame> {
    if (field === this.#field) return;
    this.#field = field;
    yield* this.close();
  }

  *#takeBlock(block: unknown): Generator<AnswerFrame> {
    if (!isObject(block)) return;
    const { type, thinking, signature, data } = block;
    if (type === 'redacted_thinking' && isText(data)) {
      yield* this.#begin({ type, data });
      yield* this.close();
    } else if (type === 'thinking' && typeof thinking === 'string' && isText(signature)) yield* this.#sign(thinking, signature);
  }

  /** Writes the rest of the thinking, then the signature. The signature belongs to the original text, even if a guard has edited it. */
  *#sign(thinking: string, signature: string): Generator<AnswerFrame> {
    const open = this.#open?.type === 'thinking' ? this.#open : null;
    const before = open?.thinking ?? '';
    const left = thinking.startsWith(before) ? thinking.slice(before.length) : '';
    this.#written += left.length;
    if (left === '' && open === null) yield* this.#begin({ type: 'thinking', thinking: '', signature: '' });
    else yield* this.#think(left);
    yield this.#delta({ type: 'signature_delta', signature });
    yield* this.close();
  }

  #unwritten(text: unknown): string {
    if (!isText(text)) return '';
    const left = text.slice(this.#written);
    this.#written -= text.length - left.length;
    return left;
  }

  *#think(thinking: string): Generator<AnswerFrame> {
    if (thinking === '') return;
    if (this.#open?.type !== 'thinking') yield* this.#begin({ type: 'thinking', thinking: '', signature: '' });
    if (this.#open?.type === 'thinking') this.#open.thinking += thinking;
    this.held += thinking.length + JSON_VALUE_BYTES;
    yield this.#delta({ type: 'thinking_delta', thinking });
  }

  *#say(text: string): Generator<AnswerFrame> {
    if (this.#open?.type !== 'text') yield* this.#begin({ type: 'text', text: '' });
    yield this.#delta({ type: 'text_delta', text });
  }

  *#begin(block: Block): Generator<AnswerFrame> {
    yield* this.close();
    this.#open = block;
    this.#count += 1;
    yield { type: 'content_block_start', index: this.#count - 1, content_block: { ...block } };
  }

  #delta(delta: object): AnswerFrame {
    return { type: 'content_block_delta', index: this.#count - 1, delta };
  }
}
