import { type ChatMessage, isObject, type JsonObject, type JsonValue, type ThinkingBlock, type ToolCall } from '@svc/contracts';
import { arrayAt, badField, objectAt, present, textAt } from '../bad-field.ts';
import type { LeftBehind } from '../left-behind.ts';

/** The turns of a request as messages of the chat format. */
export class Turns {
  readonly messages: ChatMessage[] = [];
  readonly #left: LeftBehind;

  constructor(left: LeftBehind) {
    this.#left = left;
  }

  /** @throws {SvcError} SVC-REQ-001 */
  takeSystem(system: JsonValue | undefined, path = 'body/system', parent = 'system'): void {
    if (system == null) return;
    const parts = this.#partsOf(system, path, parent);
    if (parts.length > 0) this.messages.push({ role: 'system', content: plainest(parts) });
  }

  /** @throws {SvcError} SVC-REQ-001 */
  take(messages: JsonValue | undefined): void {
    for (const [index, value] of arrayAt(messages, 'body/messages').entries()) {
      const path = `body/messages/${index}`;
      const { role, content, ...rest } = objectAt(value, path);
      this.#left.noteAll('messages', rest);
      if (role === 'user') this.#takeUser(content, `${path}/content`);
      else if (role === 'assistant') this.#takeAssistant(content, `${path}/content`);
      else if (role === 'system') this.takeSystem(content, `${path}/content`, 'messages.content');
      else throw badField(`${path}/role`, 'must be one of user, assistant, system');
    }
  }

  /** Results of tools stand before what the user says, as the chat format wants them behind their calls. */
  #takeUser(content: JsonValue | undefined, path: string): void {
    const blocks = blocksOf(content, path);
    const parts: JsonObject[] = [];
    for (const [index, block] of blocks.entries()) {
      if (block.type === 'tool_result') parts.push(...this.#takeResult(block, `${path}/${index}`));
      else parts.push(...this.#partOf(block, `${path}/${index}`, 'messages.content'));
    }
    if (parts.length > 0) this.messages.push({ role: 'user', content: plainest(parts) });
  }

  /** @returns what the chat format takes from users only, such as images */
  #takeResult({ type: _, tool_use_id, content = [], cache_control, ...rest }: JsonObject, path: string): JsonObject[] {
    this.#left.noteAll('messages.content.tool_result', { ...rest, is_error: rest.is_error === true ? true : null });
    const parts = this.#partsOf(content ?? [], `${path}/content`, 'messages.content.tool_result');
    const isText = ({ type }: JsonObject): boolean => type === 'text';
    const said = parts.filter(isText);
    this.messages.push({
      role: 'tool',
      tool_call_id: textAt(tool_use_id, `${path}/tool_use_id`),
      content: said.length === 0 ? '' : plainest(said),
      ...present({ cache_control }),
    });
    return parts.filter((part) => !isText(part));
  }

  #takeAssistant(content: JsonValue | undefined, path: string): void {
    const parts: JsonObject[] = [];
    const calls: ToolCall[] = [];
    const thinking_blocks: ThinkingBlock[] = [];
    for (const [index, block] of blocksOf(content, path).entries()) {
      const at = `${path}/${index}`;
      if (block.type === 'tool_use') calls.push(this.#callOf(block, at));
      else if (block.type === 'thinking' || block.type === 'redacted_thinking') thinking_blocks.push(this.#thinkingOf(block, at));
      else parts.push(...this.#partOf(block, at, 'messages.content'));
    }
    if (parts.length === 0 && calls.length === 0 && thinking_blocks.length === 0) return;
    this.messages.push({
      role: 'assistant',
      content: parts.length === 0 ? null : plainest(parts),
      ...(thinking_blocks.length === 0 ? {} : { thinking_blocks }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    });
  }

  #thinkingOf({ type, thinking, signature, data, ...rest }: JsonObject, path: string): ThinkingBlock {
    this.#left.noteAll('messages.content.thinking', rest);
    if (type === 'redacted_thinking') return { type, data: textAt(data, `${path}/data`) };
    return {
      type: 'thinking',
      thinking: textAt(thinking, `${path}/thinking`),
      signature: textAt(signature, `${path}/signature`),
    };
  }

  #callOf({ type: _, id, name, input, cache_control, ...rest }: JsonObject, path: string): ToolCall {
    this.#left.noteAll('messages.content.tool_use', rest);
    const called = { name: textAt(name, `${path}/name`), arguments: JSON.stringify(objectAt(input, `${path}/input`)) };
    return { id: textAt(id, `${path}/id`), type: 'function', function: called, ...present({ cache_control }) };
  }

  #partsOf(content: JsonValue, path: string, parent: string): JsonObject[] {
    return blocksOf(content, path).flatMap((block, index) => this.#partOf(block, `${path}/${index}`, parent));
  }

  #partOf({ cache_control, ...block }: JsonObject, path: string, parent: string): JsonObject[] {
    const parts = this.#barePartOf(block, path, parent);
    const last = parts.pop();
    // What is cached ends with the block.
    return last === undefined ? [] : [...parts, { ...last, ...present({ cache_control }) }];
  }

  #barePartOf({ type, ...block }: JsonObject, path: string, parent: string): JsonObject[] {
    switch (type) {
      case 'text': {
        const { text, ...rest } = block;
        this.#left.noteAll(parent, rest);
        return [{ type: 'text', text: textAt(text, `${path}/text`) }];
      }
      case 'image': {
        const { source, ...rest } = block;
        this.#left.noteAll(`${parent}.image`, rest);
        const url = this.#urlOf(objectAt(source, `${path}/source`), `${path}/source`, `${parent}.image`);
        return url === null ? [] : [{ type: 'image_url', image_url: { url } }];
      }
      case 'document':
        return this.#documentOf(block, path, `${parent}.document`);
      default:
        // A vendor's own tools and what they found.
        this.#left.note(parent, textAt(type, `${path}/type`));
        return [];
    }
  }

  #documentOf({ source, title, ...rest }: JsonObject, path: string, parent: string): JsonObject[] {
    this.#left.noteAll(parent, { ...rest, citations: isObject(rest.citations) && rest.citations.enabled === true ? true : null });
    const from = objectAt(source, `${path}/source`);
    if (from.type === 'text') {
      this.#left.noteAll(parent, { title });
      return [{ type: 'text', text: textAt(from.data, `${path}/source/data`) }];
    }
    if (from.type === 'content') {
      this.#left.noteAll(parent, { title });
      return this.#partsOf(from.content ?? [], `${path}/source/content`, parent);
    }
    if (from.type !== 'base64') {
      this.#left.noteAll(parent, { title });
      this.#left.note(`${parent}.source`, textAt(from.type, `${path}/source/type`));
      return [];
    }
    return [{ type: 'file', file: present({ file_data: dataUrl(from, `${path}/source`), filename: title }) }];
  }

  #urlOf(source: JsonObject, path: string, parent: string): string | null {
    if (source.type === 'base64') return dataUrl(source, path);
    if (source.type === 'url') return textAt(source.url, `${path}/url`);
    this.#left.note(`${parent}.source`, textAt(source.type, `${path}/type`));
    return null;
  }
}

function dataUrl({ media_type, data }: JsonObject, path: string): string {
  return `data:${textAt(media_type, `${path}/media_type`)};base64,${textAt(data, `${path}/data`)}`;
}

function blocksOf(content: JsonValue | undefined, path: string): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return arrayAt(content, path).map((block, index) => objectAt(block, `${path}/${index}`));
}

/** A text that stands alone is given as such: not every server takes parts everywhere. */
function plainest(parts: JsonObject[]): string | JsonObject[] {
  const [first] = parts;
  const isAlone = parts.length === 1 && first?.type === 'text' && first.cache_control === undefined;
  return isAlone && typeof first.text === 'string' ? first.text : parts;
}
