import { type AnswerBody, isObject, type JsonObject, type TokenUsage } from '@svc/contracts';
import { malformed, reportedError } from '../upstream-error/index.ts';
import { readUsage } from '../usage/read-usage.ts';
import { stopReason } from './stop-reason.ts';
import { messagesUsage } from './usage.ts';

/** The text fields of a block, by its type. Its readers rely on them. */
const TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['text']],
  ['thinking', ['thinking']],
  ['tool_use', ['id', 'name']],
]);

/** @throws {ProviderError} the error that the server reports in the value, or `malformed` if the value is not a message */
export function readMessage(value: unknown): AnswerBody {
  if (isObject(value) && value.type === 'error') throw reportedError(value.error);
  if (!isObject(value) || value.type !== 'message' || !Array.isArray(value.content)) throw malformed('not a message');
  for (const block of value.content) checkBlock(block);
  const stop_reason = stopReason(value.stop_reason, hasCalls(value));
  return stop_reason === value.stop_reason ? value : { ...value, stop_reason };
}

function checkBlock(block: unknown): void {
  if (!isObject(block) || typeof block.type !== 'string') throw malformed('a content block that is not an object');
  for (const name of TEXTS.get(block.type) ?? [])
    if (typeof block[name] !== 'string') throw malformed('a content block without text');
}

/** Whether there are tools that the caller must run. */
export function hasCalls(message: AnswerBody): boolean {
  return blocksIn(message).some(({ type }) => type === 'tool_use');
}

/** The blocks of a message. The message must have been checked. */
export function blocksIn({ content }: AnswerBody): readonly JsonObject[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

export function textOf(answer: AnswerBody): string {
  return blocksIn(answer)
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('');
}

/** The text that a model wrote, without signatures and redacted thinking. */
export function writtenIn(answer: AnswerBody): unknown {
  const written = blocksIn(answer)
    .filter(({ type }) => type !== 'redacted_thinking')
    .map(({ type: _, signature: __, ...fields }) => fields);
  return written.length === 0 ? null : written;
}

/** Adds the gateway's token counts if the upstream reported none. */
export function withUsage(answer: AnswerBody, tokens: TokenUsage): AnswerBody {
  return readUsage(answer.usage) === null ? { ...answer, usage: messagesUsage(tokens) } : answer;
}
