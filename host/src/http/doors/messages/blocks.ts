import { isObject } from '@svc/contracts';
import { isText } from '../is-text.ts';

type Block =
  | { readonly type: 'thinking'; thinking: string; signature: string }
  | { readonly type: 'text'; text: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

/** What a model thought and said, as the blocks of a message, in the order in which it came, and as their events. */
export class Blocks {
  readonly all: Block[] = [];
  #isOpen = false;
  /** Of the chat format, from which the last text came. */
  #field = '';
  /** Thinking that was written from its whole block before it came as text: behind a guard the text may come later. */
  #written = 0;

  /** @param piece a delta of the chat format */
  take({ reasoning_content, reasoning, thinking_blocks, content, refusal }: Readonly<Record<string, unknown>>): string {
    const blocks: readonly unknown[] = Array.isArray(thinking_blocks) ? thinking_blocks : [];
    const signed = blocks.map((block) => this.#takeBlock(block)).join('');
    const field = isText(reasoning_content) ? 'reasoning_content' : 'reasoning';
    const thought = this.#unwritten(isText(reasoning_content) ? reasoning_content : reasoning);
    return (
      signed +
      (thought === '' ? '' : this.#from(field) + this.#think(thought)) +
      (isText(content) ? this.#from('content') + this.#say(content) : '') +
      (isText(refusal) ? this.#from('refusal') + this.#say(refusal) : '')
    );
  }

  /** Guards read each field by itself, so that the texts of two never become one. */
  #from(field: string): string {
    if (field === this.#field) return '';
    this.#field = field;
    return this.close();
  }

  close(): string {
    if (!this.#isOpen) return '';
    this.#isOpen = false;
    return event('content_block_stop', { index: this.all.length - 1 });
  }

  #takeBlock(block: unknown): string {
    if (!isObject(block)) return '';
    const { type, thinking, signature, data } = block;
    if (type === 'redacted_thinking' && isText(data)) return this.#begin({ type, data }) + this.close();
    return type === 'thinking' && typeof thinking === 'string' && isText(signature) ? this.#sign(thinking, signature) : '';
  }

  /** What is left of the text, then the signature. Where a guard edited the text, the signature knows what it was. */
  #sign(thinking: string, signature: string): string {
    const open = this.#openThinking;
    const before = open?.thinking ?? '';
    const left = thinking.startsWith(before) ? thinking.slice(before.length) : '';
    this.#written += left.length;
    const begun =
      left === '' && open === null ? this.#begin({ type: 'thinking', thinking: '', signature: '' }) : this.#think(left);
    const block = this.#openThinking;
    if (block !== null) block.signature = signature;
    return begun + this.#delta({ type: 'signature_delta', signature }) + this.close();
  }

  get #openThinking(): Extract<Block, { type: 'thinking' }> | null {
    const last = this.all.at(-1);
    return this.#isOpen && last?.type === 'thinking' ? last : null;
  }

  #unwritten(text: unknown): string {
    if (!isText(text)) return '';
    const left = text.slice(this.#written);
    this.#written -= text.length - left.length;
    return left;
  }

  #think(thinking: string): string {
    if (thinking === '') return '';
    const begun = this.#openThinking === null ? this.#begin({ type: 'thinking', thinking: '', signature: '' }) : '';
    const block = this.#openThinking;
    if (block !== null) block.thinking += thinking;
    return begun + this.#delta({ type: 'thinking_delta', thinking });
  }

  #say(text: unknown): string {
    if (!isText(text)) return '';
    const last = this.all.at(-1);
    const begun = this.#isOpen && last?.type === 'text' ? '' : this.#begin({ type: 'text', text: '' });
    const block = this.all.at(-1);
    if (block?.type === 'text') block.text += text;
    return begun + this.#delta({ type: 'text_delta', text });
  }

  #begin(block: Block): string {
    const closed = this.close();
    this.#isOpen = true;
    const index = this.all.push(block) - 1;
    return closed + event('content_block_start', { index, content_block: block });
  }

  #delta(delta: object): string {
    return event('content_block_delta', { index: this.all.length - 1, delta });
  }
}

/** One event of the protocol. */
export function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
