import { isDeepStrictEqual } from 'node:util';
import { cloneJson, isObject, JsonCounter, type JsonObject } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { CHAT, objectsIn, ROLES } from '@svc/protocols';
import type { Static } from 'typebox';
import type { LitellmCheck, LitellmChecked } from '../schemas.ts';
import { verdictOf } from './check.ts';
import type { CheckedBody } from './checked-body.ts';

export interface LitellmBody extends CheckedBody {
  /** The parts that guards edited and LiteLLM takes back. */
  readonly edited: () => { readonly texts?: string[]; readonly tools?: JsonObject[] };
  /** False if a guard edited anything else, which LiteLLM would pass on unedited. */
  readonly isComplete: () => boolean;
}

/** What LiteLLM's generic guardrail API sends, as a chat: every text, tool, tool call and image of it. */
export function readLitellm(asked: Static<typeof LitellmCheck>, route: string): LitellmBody {
  const isAnswer = asked.input_type === 'response';
  const { roles, others } = spoken(asked.texts ?? [], isAnswer ? [] : objectsIn(asked.structured_messages));
  const texts = (asked.texts ?? []).map((content, i) => ({ role: isAnswer ? 'assistant' : (roles[i] ?? 'user'), content }));
  const calls = (asked.tool_calls ?? []) as JsonObject[];
  const tools = (asked.tools ?? []) as JsonObject[];
  const images = (asked.images ?? []).map((url) => ({ type: 'image_url', image_url: { url } }));
  const unreturned = [
    ...others,
    ...(calls.length > 0 ? [{ role: 'assistant', content: null, tool_calls: calls }] : []),
    ...(images.length > 0 ? [{ role: isAnswer ? 'assistant' : 'user', content: images }] : []),
  ];
  const before = cloneJson(unreturned);
  const messages = [...texts, ...unreturned];
  const sent = { texts: asked.texts ?? [], tools: cloneJson(tools) };
  const request = { model: route, messages: isAnswer ? [] : messages, ...(tools.length > 0 && { tools }) };
  return {
    protocol: CHAT,
    request,
    answer: isAnswer ? { choices: messages.map((message, index) => ({ index, message, finish_reason: 'stop' })) } : null,
    edited: () => {
      const contents = texts.map(({ content }) => content);
      return {
        ...(!isDeepStrictEqual(contents, sent.texts) && { texts: contents }),
        ...(!isDeepStrictEqual(tools, sent.tools) && { tools }),
      };
    },
    isComplete: () => isSame(unreturned, before),
  };
}

/** Blocks a request that a guard would pause, or that it edited where LiteLLM takes no edit back. */
export function litellmAnswer(outcome: RunOutcome, body: LitellmBody): Static<typeof LitellmChecked> {
  const { verdict, guard, code, hint } = verdictOf(outcome);
  const blocked = (what: string, more = '') => ({
    action: 'BLOCKED' as const,
    blocked_reason: `guard "${guard}" (${code}) ${what}, run ${outcome.row.run_id}${more}`,
  });
  if (outcome.stop !== null)
    return blocked(
      verdict === 'block' ? 'blocked this' : 'requires approval, which LiteLLM cannot wait for',
      hint && `: ${hint}`,
    );
  if (!body.isComplete()) return blocked('edited a part that LiteLLM cannot replace');
  const edited = body.edited();
  return Object.keys(edited).length === 0 ? { action: 'NONE' } : { action: 'GUARDRAIL_INTERVENED', ...edited };
}

/** The role of each text if the messages contain exactly these texts; otherwise no roles, but the messages themselves. */
function spoken(texts: readonly string[], messages: readonly JsonObject[]) {
  const known = messages.map((message) => ({
    ...message,
    role: ROLES.has(String(message.role)) ? String(message.role) : 'user',
  }));
  const rows = known.flatMap(({ role, ...message }) => textsIn(Reflect.get(message, 'content')).map((text) => ({ role, text })));
  const isAligned = isDeepStrictEqual(
    rows.map(({ text }) => text),
    texts,
  );
  return isAligned ? { roles: rows.map(({ role }) => role), others: [] } : { roles: [], others: known };
}

function textsIn(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  return objectsIn(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

/** Whether nothing was edited. JSON in a string may have been reformatted. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string') return one === other || isSameJson(one, other);
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((each, i) => isSame(each, other[i]));
  if (!isObject(one)) return one === other;
  if (!isObject(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]));
}

/** With as many values: a repeated key is shown to guards once. */
function isSameJson(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other)) && valuesIn(one) === valuesIn(other);
  } catch {
    return false;
  }
}

function valuesIn(json: string): number {
  const counter = new JsonCounter();
  counter.text(json);
  return counter.values;
}
