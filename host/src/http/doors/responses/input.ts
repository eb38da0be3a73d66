import { type ChatMessage, isObject, type JsonObject, type ToolCall } from '@svc/contracts';
import { arrayAt, badField, objectAt, present, textAt } from '../bad-field.ts';
import type { LeftBehind } from '../left-behind.ts';
import type { Tools } from './tools.ts';

/** OpenRouter's name for reasoning that only the Responses API reads. */
const FORMAT = 'openai-responses-v1';
const ROLES: readonly unknown[] = ['user', 'assistant', 'system', 'developer'];

/** The items of a request as messages of the chat format. */
export class Input {
  readonly messages: ChatMessage[] = [];
  readonly #left: LeftBehind;
  readonly #tools: Tools;
  /** Images that tools gave. The chat format takes text from tools only: they follow as a user's, behind the last of the results. */
  #shown: JsonObject[] = [];
  /** Reasoning that no message carries yet. */
  #reasoning: JsonObject[] = [];

  constructor(left: LeftBehind, tools: Tools) {
    this.#left = left;
    this.#tools = tools;
  }

  /** @throws {SvcError} SVC-REQ-001 */
  take(input: unknown): void {
    if (typeof input === 'string') this.messages.push({ role: 'user', content: input });
    else
      for (const [index, item] of arrayAt(input, 'body/input').entries())
        this.#takeItem(objectAt(item, `body/input/${index}`), `body/input/${index}`);
    this.#show();
    this.#leaveReasoning();
  }

  /** Ids and states of items say nothing to a model. */
  #takeItem({ type, id: _, status: __, ...item }: JsonObject, path: string): void {
    switch (type ?? 'message') {
      case 'message':
        this.#show();
        this.#takeMessage(item, path);
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.#show();
        this.#takeCall(item, path);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#takeOutput(item, path);
        break;
      case 'reasoning':
        this.#show();
        this.#takeReasoning(item);
        break;
      case 'item_reference':
        throw badField(
          path,
          'refers to an item, and none is kept here; set `store: false` in the client, which then sends the item itself',
        );
      default:
        // Of a vendor's own tools, and what a model of that vendor thought.
        this.#left.note('input', textAt(type, `${path}/type`));
    }
  }

  #takeMessage({ role, content, ...rest }: JsonObject, path: string): void {
    if (!ROLES.includes(role)) throw badField(`${path}/role`, `must be one of ${ROLES.join(', ')}`);
    this.#left.noteAll('input', rest);
    const said = plainest(this.#partsOf(content, `${path}/content`));
    if (role === 'assistant') this.messages.push({ role, content: said, ...this.#takenReasoning() });
    else {
      this.#leaveReasoning();
      this.messages.push({ role: String(role), content: said });
    }
  }

  /** Encrypted reasoning goes back to the model that thought; what nobody encrypted it does not take back. */
  #takeReasoning({ summary, encrypted_content, ...rest }: JsonObject): void {
    if (typeof encrypted_content !== 'string' || encrypted_content === '') {
      this.#left.note('input', 'reasoning');
      return;
    }
    const parts = Array.isArray(summary) ? summary : [];
    const summaries = parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
    this.#left.noteAll('input', { ...rest, ...(summaries.length < parts.length ? { summary } : {}) });
    const details: JsonObject[] = [
      ...summaries.map((text) => ({ type: 'reasoning.summary', summary: text, format: FORMAT })),
      { type: 'reasoning.encrypted', data: encrypted_content, format: FORMAT },
    ];
    const last = this.messages.at(-1);
    // Where guards held it until all text had left, it comes behind the message that it led to.
    const isLate = last?.role === 'assistant' && last.tool_calls === undefined && last.reasoning_details === undefined;
    if (isLate) last.reasoning_details = details;
    else this.#reasoning.push(...details);
  }

  #takenReasoning(): JsonObject {
    const reasoning_details = this.#reasoning;
    this.#reasoning = [];
    return reasoning_details.length === 0 ? {} : { reasoning_details };
  }

  /** What led to nothing no model takes back. */
  #leaveReasoning(): void {
    if (this.#takenReasoning().reasoning_details !== undefined) this.#left.note('input', 'reasoning');
  }

  #takeCall({ call_id, name, namespace, arguments: args, input, ...rest }: JsonObject, path: string): void {
    this.#left.noteAll('input', rest);
    const called = this.#tools.chatName(namespace, textAt(name, `${path}/name`));
    const id = textAt(call_id, `${path}/call_id`);
    if (input === undefined)
      this.#call({ id, type: 'function', function: { name: called, arguments: textAt(args, `${path}/arguments`) } });
    else this.#call({ id, type: 'custom', custom: { name: called, input: textAt(input, `${path}/input`) } });
  }

  /** What a model said and called in one turn is one message. */
  #call(call: ToolCall): void {
    const last = this.messages.at(-1);
    if (last?.role !== 'assistant' || this.#reasoning.length > 0)
      this.messages.push({ role: 'assistant', content: null, ...this.#takenReasoning(), tool_calls: [call] });
    else if (last.tool_calls === undefined) last.tool_calls = [call];
    else last.tool_calls.push(call);
  }

  #takeOutput({ call_id, output, ...rest }: JsonObject, path: string): void {
    this.#leaveReasoning();
    this.#left.noteAll('input', rest);
    const parts = this.#partsOf(output, `${path}/output`);
    const isText = ({ type }: JsonObject): boolean => type === 'text';
    this.#shown.push(...parts.filter((part) => !isText(part)));
    const content = plainest(parts.filter(isText));
    this.messages.push({ role: 'tool', tool_call_id: textAt(call_id, `${path}/call_id`), content });
  }

  #show(): void {
    if (this.#shown.length > 0) this.messages.push({ role: 'user', content: this.#shown });
    this.#shown = [];
  }

  #partsOf(content: unknown, path: string): JsonObject[] {
    if (typeof content === 'string') return [{ type: 'text', text: content }];
    return arrayAt(content, path).flatMap((part, index) => this.#partOf(objectAt(part, `${path}/${index}`), `${path}/${index}`));
  }

  #partOf({ type, ...part }: JsonObject, path: string): JsonObject[] {
    switch (type) {
      case 'input_text':
      case 'output_text':
      case 'text': {
        const { text, ...rest } = part;
        this.#left.noteAll('input.content', rest);
        return [{ type: 'text', text: textAt(text, `${path}/text`) }];
      }
      case 'refusal':
        return [{ type: 'refusal', refusal: textAt(part.refusal, `${path}/refusal`) }];
      case 'input_image': {
        const { image_url, detail, ...rest } = part;
        this.#left.noteAll('input.content.input_image', rest);
        return typeof image_url === 'string' ? [{ type: 'image_url', image_url: present({ url: image_url, detail }) }] : [];
      }
      case 'input_file': {
        const { file_data, file_id, filename, ...rest } = part;
        this.#left.noteAll('input.content.input_file', rest);
        return [{ type: 'file', file: present({ file_data, file_id, filename }) }];
      }
      case 'input_audio':
        return [{ type: 'input_audio', input_audio: objectAt(part.input_audio, `${path}/input_audio`) }];
      default:
        this.#left.note('input.content', textAt(type, `${path}/type`));
        return [];
    }
  }
}

/** A text that stands alone is given as such: not every server takes parts everywhere. */
function plainest(parts: JsonObject[]): string | JsonObject[] {
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' && typeof first.text === 'string' ? first.text : parts;
}
