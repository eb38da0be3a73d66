import { type Identity, isObject } from '@svc/toolkit/upstream';

/** The head of an answer: the message's own id and model where it has them. */
export function identify(message: unknown, otherwise: Identity): Identity {
  const { id, model } = isObject(message) ? message : {};
  return {
    id: typeof id === 'string' && id !== '' ? id : otherwise.id,
    created: otherwise.created,
    model: typeof model === 'string' ? model : otherwise.model,
  };
}
