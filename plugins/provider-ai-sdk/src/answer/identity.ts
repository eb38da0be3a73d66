import type { LanguageModelV4ResponseMetadata } from '@ai-sdk/provider';
import type { Identity } from '@svc/toolkit/upstream';

/** The `id` and `model` of an answer: the upstream's own if it sent them. */
export function identified({ id, modelId }: LanguageModelV4ResponseMetadata, otherwise: Identity): Identity {
  return {
    id: typeof id === 'string' && id !== '' ? id.toWellFormed() : otherwise.id,
    created: otherwise.created,
    model: typeof modelId === 'string' && modelId !== '' ? modelId.toWellFormed() : otherwise.model,
  };
}
