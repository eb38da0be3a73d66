import type { ChatMessage, JsonObject, ToolCall } from '@svc/contracts';
import { arrayAt, badField, objectAt, textAt } from '../../common/bad-field.ts';
import { nameIn, textOrParts } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';
import { partsToChat } from './parts-to-chat.ts';
import { joinReasoning, type Reasoning, reasoningOf } from './reasoning.ts';
import type { ToolsToChat } from './tools-to-chat.ts';

const ROLES: readonly unknown[] = ['user', 'assistant', 'system', 'developer'];

/** Items that cannot be dropped without changing the conversation. */
const REFUSED: Readonly<Record<string, string>> = {
  item_reference:
    'refers to a stored item, but the gateway does not store items; set `store: false` in the client, which then sends the item itself',
  compaction: 'contains turns that only the Responses API can read; use a route whose provider uses that API',
  compaction_trigger: 'is supported only by the Responses API; use a route whose provider uses that API',
};

/** Converts the items of a request to messages of the chat format. */
export class ItemsToChat {
  readonly messages: ChatMessage[] = [];
  readonly #lost: Lost;
  readonly #tools: ToolsToChat;
  /** Images from tools. In the chat format, tools return only text, so a user message after the last tool result shows the images. */
  #shown: JsonObject[] = [];
  /** Reasoning that is not part of a message yet. */
  #reasoning: Reasoning[] = [];

  constructor(lost: Lost, tools: ToolsToChat) {
    this.#lost = lost;
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

  /** Drops ids and states, which mean nothing to a model. */
  #takeItem({ type, id, status: _, ...item }: JsonObject, path: string): void {
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
        this.#takeReasoning(id === undefined ? item : { ...item, id });
        break;
      default: {
        const name = textAt(type, `${path}/type`);
        const why = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
        if (why !== undefined) throw badField(path, why);
        // Items of a vendor's own tools, and reasoning of that vendor's models.
        this.#lost.note('input', name);
      }
    }
  }

  #takeMessage({ role, content, ...rest }: JsonObject, path: string): void {
    if (!ROLES.includes(role)) throw badField(`${path}/role`, `must be one of ${ROLES.join(', ')}`);
    this.#lost.noteAll('input', rest);
    const said = textOrParts(partsToChat(content, `${path}/content`, 'input.content', this.#lost));
    if (role === 'assistant') this.messages.push({ role, content: said, ...this.#takenReasoning() });
    else {
      this.#leaveReasoning();
      this.messages.push({ role: nameIn(role), content: said });
    }
  }

  /** Keeps reasoning, for the model that wrote it. */
  #takeReasoning(item: JsonObject): void {
    const reasoning = reasoningOf(item);
    const { id: _, summary: __, content: ___, encrypted_content: ____, ...rest } = item;
    if (reasoning === null) this.#lost.note('input', 'reasoning');
    else this.#reasoning.push(reasoning);
    this.#lost.noteAll('input', rest);
  }

  #takenReasoning(): Reasoning {
    const reasoning = joinReasoning(this.#reasoning);
    this.#reasoning = [];
    return reasoning;
  }

  /** Attaches reasoning to the message that it follows. Reasoning without a message is dropped, because no model accepts it back. */
  #leaveReasoning(): void {
    if (this.#reasoning.length === 0) return;
    const reasoning = this.#takenReasoning();
    const last = this.messages.at(-1);
    const isLate = last?.role === 'assistant' && last.tool_calls === undefined && !hasReasoning(last);
    if (isLate) Object.assign(last, reasoning);
    else this.#lost.note('input', 'reasoning');
  }

  #takeCall({ call_id, name, namespace, arguments: args, input, ...rest }: JsonObject, path: string): void {
    this.#lost.noteAll('input', rest);
    const called = this.#tools.chatName(namespace, textAt(name, `${path}/name`));
    const id = textAt(call_id, `${path}/call_id`);
    if (input === undefined)
      this.#call({ id, type: 'function', function: { name: called, arguments: textAt(args, `${path}/arguments`) } });
    else this.#call({ id, type: 'custom', custom: { name: called, input: textAt(input, `${path}/input`) } });
  }

  /** Adds a call to the message of the same turn. */
  #call(call: ToolCall): void {
    const last = this.messages.at(-1);
    if (last?.role !== 'assistant' || this.#reasoning.length > 0)
      this.messages.push({ role: 'assistant', content: null, ...this.#takenReasoning(), tool_calls: [call] });
    else if (last.tool_calls === undefined) last.tool_calls = [call];
    else last.tool_calls.push(call);
  }

  #takeOutput({ call_id, output, ...rest }: JsonObject, path: string): void {
    this.#leaveReasoning();
    this.#lost.noteAll('input', rest);
    const parts = partsToChat(output, `${path}/output`, 'input.output', this.#lost);
    const isText = ({ type }: JsonObject): boolean => type === 'text';
    this.#shown.push(...parts.filter((part) => !isText(part)));
    const content = textOrParts(parts.filter(isText));
    this.messages.push({ role: 'tool', tool_call_id: textAt(call_id, `${path}/call_id`), content });
  }

  #show(): void {
    if (this.#shown.length > 0) this.messages.push({ role: 'user', content: this.#shown });
    this.#shown = [];
  }
}

function hasReasoning({ reasoning_content, reasoning_details, thinking_blocks }: ChatMessage): boolean {
  return reasoning_content !== undefined || reasoning_details !== undefined || thinking_blocks !== undefined;
}
