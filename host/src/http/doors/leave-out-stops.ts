import { isDeepStrictEqual } from 'node:util';
import { type ChatMessage, isObject, type JsonValue } from '@svc/contracts';
import type { ReportedStop } from '@svc/kernel';
import { isStopText } from './stop-text.ts';

/** Each takes a read of the store. Those beyond stay. */
const MAX_LEFT_OUT = 20;
const RUN_IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * In one session the second try of a prompt has the first one and its stop before it: `[…, prompt, stop, prompt]`. This takes the stop, and the
 * prompt behind it, out of the messages: `[…, prompt]`, so that it is the same request as the first try. What is taken out reaches nobody: no guard, no
 * approver, no model. It is a whole text of this gateway about a run that it names, and a repetition of what stays.
 * @param stopsOf the stops that were reported of a run; empty: none, or the run is not the caller's
 * @returns whether some was taken out
 */
export async function leaveOutStops(
  turns: unknown[],
  origin: string,
  stopsOf: (run_id: string) => Promise<readonly ReportedStop[]>,
): Promise<boolean> {
  for (let left = 0; left < MAX_LEFT_OUT; left += 1) {
    const at = answerBeforeRepetition(turns);
    const text = at === null ? null : textOf(messageOf(turns[at]));
    const run_id = text?.match(RUN_IDS)?.at(-1);
    if (at === null || text === null || run_id === undefined) return left > 0;
    // What cannot be looked up stays: then a person is asked.
    const stops = await stopsOf(run_id).catch(() => []);
    if (!stops.some((stop) => isStopText(text, stop, origin))) return left > 0;
    turns.length = at;
  }
  return true;
}

/** Index of the last answer if the user's messages after it repeat the end of the user's turn before it; null otherwise. */
export function answerBeforeRepetition(turns: readonly unknown[]): number | null {
  const at = turns.findLastIndex((turn) => isObject(turn) && turn.role === 'assistant');
  const again = at < 0 ? [] : turns.slice(at + 1).map(messageOf);
  // Most requests end here: an agent's last turn brings results of tools.
  if (!again.every((message) => message.role === 'user' && isPlain(message))) return null;
  const before = turns.slice(0, Math.max(at, 0)).map(messageOf);
  const from = before.findLastIndex(({ role }) => role === 'assistant' || role === 'tool') + 1;
  const first = before.slice(from).filter(({ role }) => role === 'user');
  if (!first.every(isPlain)) return null;
  const parts = again.flatMap(partsOf);
  return parts.length > 0 && isDeepStrictEqual(first.flatMap(partsOf).slice(-parts.length), parts) ? at : null;
}

/** A turn as a message: items of the Responses API say that they are some, and have ids. */
function messageOf(turn: unknown): ChatMessage {
  if (!isObject(turn)) return { role: '' };
  const { type, id: _, status: __, ...message } = turn;
  return (type === 'message' ? { role: '', ...message } : { role: '', ...turn }) as ChatMessage;
}

/** Whether it has nothing beside its content. */
function isPlain({ role: _, content: __, ...rest }: ChatMessage): boolean {
  return Object.keys(rest).length === 0;
}

/** Without marks of what a provider is to cache: clients move them to the newest message. */
function partsOf({ content }: ChatMessage): JsonValue[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (Array.isArray(content) ? content : []).map((part) => {
    if (!isObject(part)) return part;
    const { cache_control: _, ...rest } = part;
    return rest;
  });
}

/** The text of an answer that has nothing else, in the form of a stop; null: it has something else. */
function textOf({ role: _, content, refusal, ...rest }: ChatMessage): string | null {
  const isEmpty = (value: unknown): boolean => value == null || (Array.isArray(value) && value.length === 0);
  if (!Object.values(rest).every(isEmpty)) return null;
  const said = [...(Array.isArray(content) ? content : [content]), refusal].filter((value) => !isEmpty(value) && value !== '');
  const [only] = said;
  if (said.length !== 1) return null;
  const text = isObject(only) ? (only.text ?? only.refusal) : only;
  return typeof text === 'string' ? text : null;
}
