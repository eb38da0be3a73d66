import { type Identity, isObject } from '@svc/toolkit/upstream';

/** `id` and `model` of an answer: the message's own if present. */
export function identify(message: unknown, otherwise: Identity): Identity {
  const { id, model } = isObject(message) ? message : {};
  return {
    id: typeof id === 'string' && id !== '' ? id : otherwise.id,
    created: otherwise.created,
    model: typeof model === 'string' ? model : otherwise.model,
  };
}
