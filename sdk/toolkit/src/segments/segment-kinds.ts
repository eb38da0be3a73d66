import type { Segment } from '@svc/contracts';

/**
 * The role of a text in a request or an answer of any protocol, by its path and role. The chat format has `messages` and `choices`, the Messages API
 * `system`, `messages` and `content`, and the Responses API `instructions`, `input` and `output`.
 */
type Placed = Pick<Segment, 'path' | 'role' | 'is_thinking'>;

/** Matches a content, as a whole or in parts. */
const CONTENT = String.raw`content(?:\.\d+(?:\.(?:text|refusal))?)?`;

const SAID = new RegExp(
  String.raw`^(?:messages\.\d+\.(?:${CONTENT}|refusal)|input(?:\.\d+\.${CONTENT})?|system(?:\.\d+\.text)?|instructions(?:\.\d+\.${CONTENT})?)$`,
);

/** Whether the text is something that was said: it is in a message of a request or in the system prompt, and is neither thinking nor tool data. */
export function isSaid({ path, role, is_thinking }: Placed): boolean {
  return role !== null && is_thinking !== true && SAID.test(path);
}

/** Matches members of the message arrays. A system prompt outside them, or an input that is a single text, is a turn of its own. */
const TURN = /^(?:(?:messages|input)\.\d+|system|instructions|input)(?=\.|$)/;

/** The turn of a request that contains the segment, such as `messages.3`. Null if none does. */
export function turnOf({ path, role }: Placed): string | null {
  return role === null ? null : (TURN.exec(path)?.[0] ?? null);
}

/** Whether the segment is in the message array. Definitions, and the system prompts of some protocols, are outside it. */
export function isInTurns(segment: Placed): boolean {
  return /^(?:messages|input)/.test(turnOf(segment) ?? '');
}

/** Matches all fields of a tool-call block or item, except its text and thinking. */
const CALL =
  /^messages\.\d+\.(?:tool_calls|function_call|content\.\d+\.(?:id|input|name|server_name))(?:\.|$)|^input\.\d+\.(?!(?:content|summary)(?:\.|$))/;

/** Whether the segment belongs to a model's tool call in a request. */
export function isCall({ path, role }: Placed): boolean {
  return role === 'assistant' && CALL.test(path);
}

/** Matches tool results: a message, a content block in a message, or an item. */
const RESULT = /^(?:messages\.\d+\.content\.\d+(?=\.content(?:\.|$))|messages\.\d+\.content(?=\.|$)|input\.\d+(?=\.))/;

/** The tool result that contains the segment, such as `messages.3.content.0`. Null if none does. */
export function resultOf({ path, role }: Placed): string | null {
  return isToolRole(role) ? (RESULT.exec(path)?.[0] ?? null) : null;
}

const DEFINITIONS = /^(?:tools|functions|tool_choice|response_format|output_config|output_format|mcp_servers|text)\./;

/** Whether the segment is in a tool definition, or in the schema of an answer. */
export function isDefinition({ path, role }: Placed): boolean {
  return role === null && DEFINITIONS.test(path);
}

/** Whether the segment is the `name` of a message's author. All other names belong to tools, including those in a model's items. */
export function isParticipant({ path, role }: Placed): boolean {
  if (isToolRole(role)) return false;
  return /^messages\.\d+\.name$/.test(path) || (role !== 'assistant' && /^input\.\d+\.name$/.test(path));
}

/** Matches the text of a message of the chat format, an answer of the Messages API, or an item of the Responses API. */
const ANSWERED = /^(?:choices\.\d+\.message\.content(?:\.\d+\.text)?|content\.\d+\.text|output\.\d+\.content\.\d+\.text)$/;

/** Whether the segment is text of an answer, or a part of it. */
export function isAnswered({ path, kind, is_thinking }: Pick<Segment, 'path' | 'kind' | 'is_thinking'>): boolean {
  return kind === 'text' && is_thinking !== true && ANSWERED.test(path);
}

export function isInstruction(role: string | null): boolean {
  return role === 'system' || role === 'developer';
}

export function isToolRole(role: string | null): boolean {
  return role === 'tool' || role === 'function';
}

/**
 * Puts definitions and system prompts before the messages, as models read them. If values are numbered in this order, their numbers stay the same when
 * messages are added, and the vendor's prompt cache stays valid.
 */
export function definitionsFirst<S extends Placed>(segments: readonly S[]): readonly S[] {
  return [...segments.filter((segment) => !isInTurns(segment)), ...segments.filter(isInTurns)];
}
