import { isDeepStrictEqual } from 'node:util';
import { cloneJson, isObject, type JsonObject } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { nameIn, objectsIn, ROLES } from '@svc/protocols';
import type { Static } from 'typebox';
import type { LitellmCheck, LitellmChecked } from '../schemas.ts';
import { verdictOf } from './check.ts';
import { type CheckedBody, chatOf } from './checked-body.ts';
import { isSame } from './same-json.ts';

export interface LitellmBody extends CheckedBody {
  /** The parts that guards have edited and LiteLLM takes back. */
  readonly edited: () => { readonly texts?: string[]; readonly tools?: JsonObject[] };
  /** False if anything else was edited, because LiteLLM would pass it on unedited. */
  readonly isComplete: () => boolean;
  /** Messages whose role is unknown, so that guards see them as those of a user. */
  readonly unknown_roles: number;
}

/** A request of LiteLLM's generic guardrail API, as a chat. */
export function readLitellm(asked: Static<typeof LitellmCheck>, route: string): LitellmBody {
  const isAnswer = asked.input_type === 'response';
  const role = isAnswer ? 'assistant' : 'user';
  const texts = asked.texts ?? [];
  const tools = (asked.tools ?? []) as JsonObject[];
  const offered = cloneJson(tools);
  const given = isAnswer ? [] : objectsIn(asked.structured_messages).map(withKnownRole);
  const unknown_roles = isAnswer ? 0 : objectsIn(asked.structured_messages).filter((message) => !hasKnownRole(message)).length;
  // Messages with other texts come from another version of LiteLLM, or from another API.
  const isWhole = isDeepStrictEqual(textsIn(given), texts);
  const spoken = isWhole ? given : texts.map((content) => ({ role, content }));
  const calls = without(asked.tool_calls ?? [], isWhole ? given.flatMap(({ tool_calls }) => objectsIn(tool_calls)) : []);
  const images = without(asked.images ?? [], isWhole ? given.flatMap(imagesIn) : []);
  const messages: JsonObject[] = [
    ...spoken,
    ...(isWhole ? [] : given),
    ...(calls.length > 0 ? [{ role: 'assistant', content: null, tool_calls: calls as JsonObject[] }] : []),
    ...(images.length > 0 ? [{ role, content: images.map((url) => ({ type: 'image_url', image_url: { url } })) }] : []),
  ];
  const { request, ...checked } = chatOf(route, messages, isAnswer);
  const rest = () => {
    const copy = cloneJson(messages);
    for (const [holder, key] of placesIn(copy.slice(0, spoken.length))) holder[key] = '';
    return copy;
  };
  const before = rest();
  const written = () => textsIn(messages.slice(0, spoken.length));
  return {
    ...checked,
    unknown_roles,
    request: tools.length > 0 ? { ...request, tools } : request,
    edited: () => ({
      ...(!isDeepStrictEqual(written(), texts) && { texts: written() }),
      ...(!isDeepStrictEqual(tools, offered) && { tools }),
    }),
    // If LiteLLM gets an empty list, it keeps its own tools.
    isComplete: () => isSame(before, rest()) && written().length === texts.length && (tools.length > 0 || offered.length === 0),
  };
}

/** Blocks a request that a guard would pause, or that a guard edited in a part for which LiteLLM accepts no edits. */
export function litellmAnswer(outcome: RunOutcome, body: LitellmBody): Static<typeof LitellmChecked> {
  const { verdict, guard, code, hint } = verdictOf(outcome);
  const blocked = (what: string, more = '') => ({
    action: 'BLOCKED' as const,
    // If no guard did it, the gateway wrote a call's arguments in the form that guards see.
    blocked_reason: `${guard === null ? 'the gateway' : `guard "${guard}" (${code})`} ${what}, run ${outcome.row.run_id}${more}`,
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

function hasKnownRole({ role }: JsonObject): boolean {
  return ROLES.has(nameIn(role));
}

function withKnownRole(message: JsonObject): JsonObject {
  return { ...message, role: hasKnownRole(message) ? nameIn(message.role) : 'user' };
}

/** Where LiteLLM finds the texts of messages. */
function* placesIn(messages: readonly JsonObject[]): Iterable<readonly [holder: JsonObject, key: string]> {
  for (const message of messages) {
    if (typeof message.content === 'string') yield [message, 'content'];
    for (const part of objectsIn(message.content)) if (typeof part.text === 'string') yield [part, 'text'];
  }
}

function textsIn(messages: readonly JsonObject[]): string[] {
  return Array.from(placesIn(messages), ([holder, key]) => String(holder[key]));
}

function imagesIn({ content }: JsonObject): unknown[] {
  return objectsIn(content).flatMap(({ image_url }) => (isObject(image_url) ? image_url.url : (image_url ?? [])));
}

/** Empty if the messages have exactly these parts. */
function without<T>(parts: readonly T[], inMessages: readonly unknown[]): readonly T[] {
  return isDeepStrictEqual(parts, inMessages) ? [] : parts;
}
