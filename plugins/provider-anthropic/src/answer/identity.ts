import { isObject } from '@svc/sdk/upstream';

/** What stands in an answer where the server left it out. */
export interface Identity {
  readonly id: string;
  /** Seconds since the Unix epoch; the API does not say. */
  readonly created: number;
  readonly model: string;
}

/** The head of an answer: the message's own id and model where it has them. */
export function identify(message: unknown, otherwise: Identity): Identity {
  const { id, model } = isObject(message) ? message : {};
  return {
    id: typeof id === 'string' && id !== '' ? id : otherwise.id,
    created: otherwise.created,
    model: typeof model === 'string' ? model : otherwise.model,
  };
}
