import { isObject, isSvcError, type Stage } from '@svc/contracts';
import type { Protocols } from '@svc/protocols';
import { type SegmentsFor, segmentsIn } from '@svc/runtime';
import { Value } from 'typebox/value';
import { readCheck } from '../http/doors/checked-body.ts';
import { GuardCheck } from '../http/schemas.ts';
import type { Found } from './read-examples.ts';

/** A text or a body that guards can check. */
export interface Example {
  readonly source: string;
  readonly stage: Stage;
  /** Whether it is a single text, so that the path of its segment says nothing. */
  readonly isText: boolean;
  readonly segments: SegmentsFor;
}

const FIELDS = ['stage', 'text', 'texts', 'origin', 'body', 'protocol'] as const;

/** @returns a sentence without content, if it is neither a text nor a body of a known protocol */
export function exampleOf({ source, value, problem }: Found, protocols: Protocols): Example | string {
  if (problem !== undefined) return problem;
  const asked = askedOf(value);
  if (asked === null) return 'is neither {"text"} nor a body of a known protocol';
  if (!Value.Check(GuardCheck, asked)) return `is not of the form of POST /v1/guard (${FIELDS.join(', ')})`;
  try {
    const { protocol, request, answer } = readCheck(asked, protocols);
    const stage = answer === null ? 'ingress' : 'egress';
    return { source, stage, isText: asked.text !== undefined, segments: segmentsIn(protocol, request, answer) };
  } catch (error) {
    return isSvcError(error) ? error.message : 'has too many JSON values';
  }
}

/** The value as a request of `POST /v1/guard`. Null if it is not recognised. */
function askedOf(value: unknown): object | null {
  if (typeof value === 'string') return { route: 'try', text: value };
  if (!isObject(value)) return null;
  if (['text', 'texts', 'body'].some((field) => Object.hasOwn(value, field) && isContent(value[field])))
    return { route: 'try', ...Object.fromEntries(FIELDS.flatMap((field) => (field in value ? [[field, value[field]]] : []))) };
  const kind = kindOf(value);
  return kind && { route: 'try', body: value, ...kind };
}

/** The Responses API has a field `text` with settings. */
function isContent(field: unknown): boolean {
  return typeof field === 'string' || Array.isArray(field) || (isObject(field) && !Object.hasOwn(field, 'format'));
}

type Kind = { readonly protocol: string; readonly stage: Stage };

/** Whose request or answer a body is, by fields that no other protocol has at the same place. */
function kindOf(body: Readonly<Record<string, unknown>>): Kind | null {
  const { choices, candidates, contents, content, input, messages, object, output, type } = body;
  if (Array.isArray(choices)) return { protocol: 'openai.chat', stage: 'egress' };
  if (object === 'response' || Array.isArray(output)) return { protocol: 'openai.responses', stage: 'egress' };
  if (type === 'message' && Array.isArray(content)) return { protocol: 'anthropic.messages', stage: 'egress' };
  if (Array.isArray(candidates)) return { protocol: 'google.gemini', stage: 'egress' };
  if (Array.isArray(messages))
    return { protocol: isAnthropic(body, messages) ? 'anthropic.messages' : 'openai.chat', stage: 'ingress' };
  if (input !== undefined) return { protocol: 'openai.responses', stage: 'ingress' };
  return Array.isArray(contents) ? { protocol: 'google.gemini', stage: 'ingress' } : null;
}

const BLOCKS: readonly unknown[] = ['tool_use', 'tool_result', 'document', 'thinking'];

/** Chat and Messages share `messages`. The latter has its system prompt and its tool results elsewhere. */
function isAnthropic(body: Readonly<Record<string, unknown>>, messages: readonly unknown[]): boolean {
  if (body.system !== undefined || body.anthropic_version !== undefined) return true;
  const blocks = messages.flatMap((message) => (isObject(message) && Array.isArray(message.content) ? message.content : []));
  return blocks.some((block) => isObject(block) && BLOCKS.includes(block.type));
}
