import type { ChatMessage, JsonObject, ThinkingBlock, ToolCall } from '@svc/contracts';
import { arrayAt, badField, objectAt, textAt } from '../../common/bad-field.ts';
import { nameIn, present, textOrParts } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';
import { blocksAt, PartsToChat } from './parts-to-chat.ts';

/** Converts the turns of a request to messages of the chat format. */
export class TurnsToChat {
  readonly messages: ChatMessage[] = [];
  readonly #lost: Lost;
  readonly #parts: PartsToChat;

  constructor(lost: Lost) {
    this.#lost = lost;
    this.#parts = new PartsToChat(lost);
  }

  /** @throws {SvcError} SVC-REQ-001 */
  takeSystem(system: unknown, path = 'body/system', parent = 'system'): void {
    if (system == null) return;
    const parts = this.#parts.ofContent(system, path, parent);
    if (parts.length > 0) this.messages.push({ role: 'system', content: textOrParts(parts) });
  }

  /** @throws {SvcError} SVC-REQ-001 */
  take(messages: unknown): void {
    for (const [index, value] of arrayAt(messages, 'body/messages').entries()) {
      const path = `body/messages/${index}`;
      const { role, content, ...rest } = objectAt(value, path);
      this.#lost.noteAll('messages', rest);
      if (role === 'user') this.#takeUser(content, `${path}/content`);
      else if (role === 'assistant') this.#takeAssistant(content, `${path}/content`);
      else if (role === 'system') this.takeSystem(content, `${path}/content`, 'messages.content');
      else throw badField(`${path}/role`, 'must be one of user, assistant, system');
    }
  }

  /** Puts tool results before the user's text, because in the chat format they must directly follow their calls. */
  #takeUser(content: unknown, path: string): void {
    const blocks = blocksAt(content, path);
    this.#noteOrder(blocks, ({ type }) => (type === 'tool_result' ? 0 : 1));
    const parts: JsonObject[] = [];
    for (const [index, block] of blocks.entries()) {
      if (block.type === 'tool_result') parts.push(...this.#takeResult(block, `${path}/${index}`));
      else parts.push(...this.#parts.ofBlock(block, `${path}/${index}`, 'messages.content'));
    }
    if (parts.length > 0) this.messages.push({ role: 'user', content: textOrParts(parts) });
  }

  /** @returns the parts that the chat format accepts only from users, such as images */
  #takeResult({ type: _, tool_use_id, content, cache_control, is_error, ...rest }: JsonObject, path: string): JsonObject[] {
    const parent = 'messages.content.tool_result';
    this.#lost.noteAll(parent, { ...rest, is_error: is_error === true ? true : null });
    const parts = this.#parts.ofContent(content ?? [], `${path}/content`, parent);
    const isText = ({ type }: JsonObject): boolean => type === 'text';
    const said = parts.filter(isText);
    this.messages.push({
      role: 'tool',
      tool_call_id: textAt(tool_use_id, `${path}/tool_use_id`),
      content: said.length === 0 ? '' : textOrParts(said),
      ...present({ cache_control }),
    });
    return parts.filter((part) => !isText(part));
  }

  #takeAssistant(content: unknown, path: string): void {
    const blocks = blocksAt(content, path);
    this.#noteOrder(blocks, ({ type }) => (isThinking(type) ? 0 : type === 'tool_use' ? 2 : 1));
    const parts: JsonObject[] = [];
    const calls: ToolCall[] = [];
    const signed: ThinkingBlock[] = [];
    let thought = '';
    for (const [index, block] of blocks.entries()) {
      const at = `${path}/${index}`;
      if (block.type === 'tool_use') calls.push(this.#callOf(block, at));
      else if (isThinking(block.type)) {
        const thinking = this.#thinkingOf(block, at);
        if (typeof thinking === 'string') thought += thinking;
        else signed.push(thinking);
      } else parts.push(...this.#parts.ofBlock(block, at, 'messages.content'));
    }
    if (parts.length === 0 && calls.length === 0 && signed.length === 0 && thought === '') return;
    this.messages.push({
      role: 'assistant',
      content: parts.length === 0 ? null : textOrParts(parts),
      ...(thought === '' ? {} : { reasoning_content: thought }),
      ...(signed.length === 0 ? {} : { thinking_blocks: signed }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    });
  }

  /** @returns a string if the thinking is unsigned: it then comes from a vendor with the chat format, which expects it back as `reasoning_content` */
  #thinkingOf({ type, thinking, signature, data, ...rest }: JsonObject, path: string): ThinkingBlock | string {
    this.#lost.noteAll(`messages.content.${nameIn(type)}`, rest);
    if (type === 'redacted_thinking') return { type, data: textAt(data, `${path}/data`) };
    const text = textAt(thinking, `${path}/thinking`);
    const sign = textAt(signature ?? '', `${path}/signature`);
    return sign === '' ? text : { type: 'thinking', thinking: text, signature: sign };
  }

  #callOf({ type: _, id, name, input, cache_control, ...rest }: JsonObject, path: string): ToolCall {
    this.#lost.noteAll('messages.content.tool_use', rest);
    const called = { name: textAt(name, `${path}/name`), arguments: JSON.stringify(objectAt(input, `${path}/input`)) };
    return { id: textAt(id, `${path}/id`), type: 'function', function: called, ...present({ cache_control }) };
  }

  /** Reports a lost order of blocks: a message of the chat format has a separate field for each kind of block. */
  #noteOrder(blocks: readonly JsonObject[], rank: (block: JsonObject) => number): void {
    const ranks = blocks.map(rank);
    if (ranks.some((each, index) => each < (ranks[index - 1] ?? 0))) this.#lost.note('messages', 'content');
  }
}

function isThinking(type: unknown): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
