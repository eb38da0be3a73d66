import type { Segment } from '@svc/contracts';

/**
 * What a text is in a request or an answer of any protocol, read from its path and its role. The chat format has `messages` and `choices`, the
 * Messages API `system`, `messages` and `content`, the Responses API `instructions`, `input` and `output`.
 */
type Standing = Pick<Segment, 'path' | 'role' | 'is_thinking'>;

/** A content, whole or in parts. */
const CONTENT = String.raw`content(?:\.\d+(?:\.(?:text|refusal))?)?`;

const SAID = new RegExp(
  String.raw`^(?:messages\.\d+\.(?:${CONTENT}|refusal)|input(?:\.\d+\.${CONTENT})?|system(?:\.\d+\.text)?|instructions(?:\.\d+\.${CONTENT})?)$`,
);

/** Whether it is what a turn of a request says, or what its system prompt says. */
export function isSaid({ path, role, is_thinking }: Standing): boolean {
  return role !== null && is_thinking !== true && SAID.test(path);
}

/** Members of the arrays of turns; a system prompt beside them, or an input that is one text, is a turn of its own. */
const TURN = /^(?:(?:messages|input)\.\d+|system|instructions|input)(?=\.|$)/;

/** The turn of a request in which it stands, such as `messages.3`; null: in none. */
export function turnOf({ path, role }: Standing): string | null {
  return role === null ? null : (TURN.exec(path)?.[0] ?? null);
}

/** Whether it stands in the array of turns, and not beside it, as definitions and the system prompt of some protocols do. */
export function isInTurns(segment: Standing): boolean {
  return /^(?:messages|input)/.test(turnOf(segment) ?? '');
}

/** Of a block and of an item: all but what it says or thinks. */
const CALL =
  /^messages\.\d+\.(?:tool_calls|function_call|content\.\d+\.(?:id|input|name|server_name))(?:\.|$)|^input\.\d+\.(?!(?:content|summary)(?:\.|$))/;

/** Whether it belongs to a call of a tool that a model wrote, in a request. */
export function isCall({ path, role }: Standing): boolean {
  return role === 'assistant' && CALL.test(path);
}

/** Results of tools: a message, a content block in a turn, or an item. */
const RESULT = /^(?:messages\.\d+\.content\.\d+(?=\.content(?:\.|$))|messages\.\d+\.content(?=\.|$)|input\.\d+(?=\.))/;

/** The result of a tool in which it stands, such as `messages.3.content.0`; null: in none. */
export function resultOf({ path, role }: Standing): string | null {
  return isToolRole(role) ? (RESULT.exec(path)?.[0] ?? null) : null;
}

const DEFINITIONS = /^(?:tools|functions|tool_choice|response_format|output_config|output_format|mcp_servers|text)\./;

/** Whether it stands in definitions of tools, or of the form of an answer. */
export function isDefinition({ path, role }: Standing): boolean {
  return role === null && DEFINITIONS.test(path);
}

/** The `name` of who wrote a message. Every other name is a tool's. An item of a model has its tool's. */
export function isParticipant({ path, role }: Standing): boolean {
  if (isToolRole(role)) return false;
  return /^messages\.\d+\.name$/.test(path) || (role !== 'assistant' && /^input\.\d+\.name$/.test(path));
}

/** A chat format's message, a Messages answer, an item of a response. */
const ANSWERED = /^(?:choices\.\d+\.message\.content(?:\.\d+\.text)?|content\.\d+\.text|output\.\d+\.content\.\d+\.text)$/;

/** Whether it is the text of an answer, or a part of it. */
export function isAnswered({ path, kind, is_thinking }: Pick<Segment, 'path' | 'kind' | 'is_thinking'>): boolean {
  return kind === 'text' && is_thinking !== true && ANSWERED.test(path);
}

export function isInstruction(role: string | null): boolean {
  return role === 'system' || role === 'developer';
}

export function isToolRole(role: string | null): boolean {
  return role === 'tool' || role === 'function';
}
