import { type ChatMessage, isObject, type JsonObject, type JsonValue } from '@svc/sdk';
import { arrayAt, badField, type Lost, objectAt, textAt, textOrParts } from '@svc/sdk/protocol';
import type { ToolCall } from '@svc/sdk/provider';
import { contentToChat } from './content-to-chat.ts';
import { MessageToChat } from './message-to-chat.ts';

const PLACE = 'contents.parts';

/** Converts the turns of a request to messages of the chat format. */
export class TurnsToChat {
  readonly messages: ChatMessage[] = [];
  readonly #lost: Lost;
  /** Calls without a result, oldest first. */
  #open: ToolCall[] = [];

  constructor(lost: Lost) {
    this.#lost = lost;
  }

  /** @throws {SvcError} SVC-REQ-001 */
  takeSystem(instruction: unknown): void {
    if (instruction == null) return;
    const parts = typeof instruction === 'string' ? [{ text: instruction }] : partsAt(instruction, 'body/systemInstruction');
    const said = parts.flatMap((part, at) =>
      contentToChat(part, `body/systemInstruction/parts/${at}`, 'systemInstruction.parts', this.#lost),
    );
    if (said.length > 0) this.messages.push({ role: 'system', content: textOrParts(said) });
  }

  /** @throws {SvcError} SVC-REQ-001 */
  take(contents: unknown): void {
    for (const [index, value] of arrayAt(contents, 'body/contents').entries()) {
      const path = `body/contents/${index}`;
      const { role, parts: _, ...rest } = objectAt(value, path);
      this.#lost.noteAll('contents', rest);
      const parts = partsAt(value, path);
      if (role === 'model') this.#takeModel(parts, index);
      else if (role == null || role === 'user' || role === 'function') this.#takeUser(parts, path, index);
      else throw badField(`${path}/role`, 'must be one of user, model');
    }
  }

  #takeModel(parts: readonly JsonObject[], turn: number): void {
    const said = new MessageToChat(this.#lost, PLACE, (call) => `svc_call_${turn}_${call}`);
    for (const part of parts) said.take(part);
    const message = said.message('request');
    this.#open = [...said.calls];
    if (Object.keys(message).length > 2 || message.content !== null) this.messages.push(message);
  }

  /** Puts tool results before the user's text, because in the chat format they must directly follow their calls. */
  #takeUser(parts: readonly JsonObject[], path: string, turn: number): void {
    const said: JsonObject[] = [];
    for (const [at, part] of parts.entries()) {
      const { functionResponse, ...rest } = part;
      if (!isObject(functionResponse)) said.push(...contentToChat(part, `${path}/parts/${at}`, PLACE, this.#lost));
      else {
        this.#lost.noteAll(PLACE, rest);
        if (said.length > 0) this.#lost.note('contents', 'parts');
        this.#takeResult(functionResponse, `${path}/parts/${at}/functionResponse`, `svc_call_${turn}_${at}`);
      }
    }
    if (said.length > 0) this.messages.push({ role: 'user', content: textOrParts(said) });
  }

  #takeResult({ id, name, response, ...rest }: JsonObject, path: string, unknown: string): void {
    this.#lost.noteAll(`${PLACE}.functionResponse`, rest);
    const called = textAt(name, `${path}/name`);
    const isOf = (call: ToolCall): boolean => (typeof id === 'string' ? call.id === id : call.function?.name === called);
    const at = this.#open.findIndex(isOf);
    const [call] = at < 0 ? [] : this.#open.splice(at, 1);
    const tool_call_id = typeof id === 'string' ? id : (call?.id ?? unknown);
    this.messages.push({ role: 'tool', tool_call_id, content: resultText(response ?? {}) });
  }
}

/** The text of a result. A result that has only a text `output` becomes that text. */
function resultText(response: JsonValue): string {
  const isText = isObject(response) && Object.keys(response).join() === 'output' && typeof response.output === 'string';
  return isText && !/^\s*\{/.test(String(response.output)) ? String(response.output) : JSON.stringify(response);
}

/** @throws {SvcError} SVC-REQ-001 */
function partsAt(content: unknown, path: string): JsonObject[] {
  const { parts } = objectAt(content, path);
  return arrayAt(parts ?? [], `${path}/parts`).map((part, index) => objectAt(part, `${path}/parts/${index}`));
}
