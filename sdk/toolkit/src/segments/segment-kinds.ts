import type { Segment } from '@svc/contracts';

/**
 * What a text is in a request or an answer of any protocol, by its path and its role. The chat format has `messages` and `choices`, the
 * Messages API `system`, `messages` and `content`, the Responses API `instructions`, `input` and `output`.
 */
type Placed = Pick<Segment, 'path' | 'role' | 'is_thinking'>;

/** A content, as a whole or in parts. */
const CONTENT = String.raw`content(?:\.\d+(?:\.(?:text|refusal))?)?`;

const SAID = new RegExp(
  String.raw`^(?:messages\.\d+\.(?:${CONTENT}|refusal)|input(?:\.\d+\.${CONTENT})?|system(?:\.\d+\.text)?|instructions(?:\.\d+\.${CONTENT})?)$`,
);

/** Whether it is something that was said: text of a message in a request or of its system prompt, not thinking or tool data. */
export function isSaid({ path, role, is_thinking }: Placed): boolean {
  return role !== null && is_thinking !== true && SAID.test(path);
}

/** Members of the message arrays. A system prompt outside them, or an input that is a single text, is a turn of its own. */
const TURN = /^(?:(?:messages|input)\.\d+|system|instructions|input)(?=\.|$)/;

/** The turn of a request that contains it, such as `messages.3`; null if none does. */
export function turnOf({ path, role }: Placed): string | null {
  return role === null ? null : (TURN.exec(path)?.[0] ?? null);
}

/** Whether it is in the message array, and not outside it like definitions and some protocols' system prompts. */
export function isInTurns(segment: Placed): boolean {
  return /^(?:messages|input)/.test(turnOf(segment) ?? '');
}

/** All fields of a tool-call block or item, except its text and thinking. */
const CALL =
  /^messages\.\d+\.(?:tool_calls|function_call|content\.\d+\.(?:id|input|name|server_name))(?:\.|$)|^input\.\d+\.(?!(?:content|summary)(?:\.|$))/;

/** Whether it belongs to a model's tool call in a request. */
export function isCall({ path, role }: Placed): boolean {
  return role === 'assistant' && CALL.test(path);
}

/** Tool results: a message, a content block in a message, or an item. */
const RESULT = /^(?:messages\.\d+\.content\.\d+(?=\.content(?:\.|$))|messages\.\d+\.content(?=\.|$)|input\.\d+(?=\.))/;

/** The tool result that contains it, such as `messages.3.content.0`; null if none does. */
export function resultOf({ path, role }: Placed): string | null {
  return isToolRole(role) ? (RESULT.exec(path)?.[0] ?? null) : null;
}

const DEFINITIONS = /^(?:tools|functions|tool_choice|response_format|output_config|output_format|mcp_servers|text)\./;

/** Whether it is in a tool definition, or in the schema of an answer. */
export function isDefinition({ path, role }: Placed): boolean {
  return role === null && DEFINITIONS.test(path);
}

/** Whether it is the `name` of a message's author. All other names are names of tools, including those in a model's items. */
export function isParticipant({ path, role }: Placed): boolean {
  if (isToolRole(role)) return false;
  return /^messages\.\d+\.name$/.test(path) || (role !== 'assistant' && /^input\.\d+\.name$/.test(path));
}

/** A message of the chat format, an answer of the Messages API, an item of the Responses API. */
const ANSWERED = /^(?:choices\.\d+\.message\.content(?:\.\d+\.text)?|content\.\d+\.text|output\.\d+\.content\.\d+\.text)$/;

/** Whether it is text of an answer, or a part of it. */
export function isAnswered({ path, kind, is_thinking }: Pick<Segment, 'path' | 'kind' | 'is_thinking'>): boolean {
  return kind === 'text' && is_thinking !== true && ANSWERED.test(path);
}

export function isInstruction(role: string | null): boolean {
  return role === 'system' || role === 'developer';
}

export function isToolRole(role: string | null): boolean {
  return role === 'tool' || role === 'function';
}
