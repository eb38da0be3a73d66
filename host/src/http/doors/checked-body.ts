import type { AnswerBody, JsonObject, Protocol, RequestBody } from '@svc/contracts';
import { badField, CHAT, type Protocols, RETRIEVED, ROLES } from '@svc/protocols';
import type { Static } from 'typebox';
import type { GuardCheck } from '../schemas.ts';

/** A body for the guards of one stage. They edit it in place. */
export interface CheckedBody {
  readonly protocol: Protocol;
  readonly request: RequestBody;
  /** Null: the guards in ingress check the request. */
  readonly answer: AnswerBody | null;
  /** The part of the body that the caller gets back, as the guards have edited it. */
  readonly edited: () => object;
}

/** @throws {SvcError} SVC-REQ-001 */
export function readCheck(
  { stage, text, texts, origin, body, protocol: id, ...asked }: Static<typeof GuardCheck>,
  protocols: Protocols,
): CheckedBody {
  const given = [text, texts, body].filter((value) => value !== undefined);
  if (given.length !== 1) throw badField('body', 'must have exactly one of text, texts and body');
  if (id !== undefined && body === undefined) throw badField('body/protocol', 'is allowed only with body');
  const isAnswer = stage === 'egress';
  if (origin !== undefined && (body !== undefined || isAnswer))
    throw badField('body/origin', 'is allowed only with text or texts in ingress');
  if (body === undefined) {
    const spoken = isAnswer ? { role: 'assistant' } : SPOKEN[origin ?? 'user'];
    return ofTexts(asked.route, texts ?? [text ?? ''], spoken, text !== undefined);
  }
  const protocol = protocols.get(id ?? CHAT.id);
  if (protocol === undefined) throw badField('body/protocol', `must be one of ${[...protocols.keys()].join(', ')}`);
  return isAnswer ? answerOf(asked.route, body, protocol) : requestOf(asked.route, body, protocol);
}

const SPOKEN = { user: { role: 'user' }, tool: { role: 'tool' }, retrieved: { role: 'user', ...RETRIEVED } } as const;

function ofTexts(model: string, texts: readonly string[], spoken: { readonly role: string }, isOne: boolean): CheckedBody {
  const messages = texts.map((content) => ({ ...spoken, content }));
  return {
    ...chatOf(model, messages, spoken.role === 'assistant'),
    edited: () => {
      const contents = messages.map(({ content }) => content);
      return isOne ? { text: contents[0] } : { texts: contents };
    },
  };
}

/** Messages of a request, or alternative answers. */
export function chatOf(model: string, messages: JsonObject[], isAnswer: boolean): Omit<CheckedBody, 'edited'> {
  return {
    protocol: CHAT,
    request: { model, messages: isAnswer ? [] : messages },
    answer: isAnswer ? { choices: messages.map((message, index) => ({ index, message, finish_reason: 'stop' })) } : null,
  };
}

function requestOf(route: string, body: object, protocol: Protocol): CheckedBody {
  const { model, ...fields } = body as { readonly model?: unknown };
  const request: RequestBody = { ...fields, model: route };
  const roles = valid(protocol, 'request', () => protocol.rolesOf(request));
  // Unknown roles are refused, because guards select texts by role.
  if (!roles.every((role) => ROLES.has(role))) throw badField('body/body', 'has a message with an unknown role');
  return {
    protocol,
    request,
    answer: null,
    edited: () => {
      const { model: _, ...edited } = request;
      return { body: model === undefined ? edited : { ...edited, model } };
    },
  };
}

function answerOf(route: string, body: object, protocol: Protocol): CheckedBody {
  const { answer, left_out } = valid(protocol, 'answer', () => protocol.checkable(protocol.readAnswer(body)));
  return {
    protocol,
    request: protocol.withTurns({ model: route }, []),
    answer,
    edited: () => ({ body: answer, ...(left_out.length > 0 && { left_out }) }),
  };
}

function valid<T>({ id }: Protocol, what: 'request' | 'answer', read: () => T): T {
  try {
    return read();
  } catch {
    throw badField('body/body', `is not ${what === 'answer' ? 'an answer' : 'a request'} in the format of ${id}`);
  }
}
