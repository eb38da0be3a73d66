import { isObject, type RequestBody, type RequestFacts } from '@svc/contracts';
import { RETRIEVED } from '../common/origin.ts';

export function turnsOf({ messages }: RequestBody): unknown[] {
  return Array.isArray(messages) ? messages : [];
}

export function rolesOf(body: RequestBody): readonly string[] {
  return turnsOf(body).map((turn) => (isObject(turn) && typeof turn.role === 'string' ? turn.role : 'user'));
}

/** Tool results must come first in the turn after their calls, so the text is added behind them. */
export function addText(body: RequestBody, at: number, text: string): void {
  const turns = turnsOf(body);
  const turn = turns[at];
  const blocks: readonly unknown[] = isObject(turn) && Array.isArray(turn.content) ? turn.content : [];
  const last = blocks.findLastIndex((block) => isObject(block) && block.type === 'tool_result');
  if (last === -1) turns.splice(at, 0, { role: 'user', content: text, ...RETRIEVED });
  else turns[at] = { ...(turn as object), content: blocks.toSpliced(last + 1, 0, { type: 'text', text, ...RETRIEVED }) };
}

export function factsOf({ max_tokens, output_config, output_format }: RequestBody): RequestFacts {
  const format = isObject(output_config) ? output_config.format : undefined;
  return {
    answers: 1,
    max_output_tokens: typeof max_tokens === 'number' ? max_tokens : null,
    wantsJson: isObject(format) || isObject(output_format),
  };
}

/** The parts of a request that a model reads. Earlier thinking is not counted. */
export function readIn(body: RequestBody): unknown {
  const messages = turnsOf(body).map((turn) =>
    isObject(turn) && Array.isArray(turn.content) ? { ...turn, content: turn.content.filter(isRead) } : turn,
  );
  return [body.system ?? null, messages];
}

function isRead(block: unknown): boolean {
  return !isObject(block) || (block.type !== 'thinking' && block.type !== 'redacted_thinking');
}
