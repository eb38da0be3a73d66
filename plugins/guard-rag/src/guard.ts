import { allow, type Guard, type GuardDeps, type JsonObject } from '@svc/sdk';
import { contextMessage, thatFit } from './context-message.ts';
import type { RagOptions } from './options.ts';
import { questionIn } from './question.ts';

export function ragGuard(
  { namespace, k, min_score, filter, max_characters }: RagOptions,
  openNamespace: GuardDeps['openNamespace'],
): Guard {
  const documents = openNamespace(namespace);
  return {
    stages: ['ingress'],
    verdicts: [],
    async check(segments, { state, signal }) {
      // The request is checked again after a pause, because the route has changed. The message is already there.
      if (state.added === true) return allow('added-before');
      const question = questionIn(segments);
      if (question === null) return allow('no-question');
      const found = await documents.retrieve(question, { k, filter: filter as JsonObject, signal });
      const fitting = thatFit(
        found.filter(({ score }) => score >= min_score),
        max_characters,
      );
      if (fitting.length === 0) return allow('nothing-found');
      state.added = true;
      const text = contextMessage(
        namespace,
        fitting.map((passage) => passage.text),
      );
      const sources = fitting.map(({ document: { document, score } }) => ({ id: document.id, score }));
      const findings = [{ entity_type: 'DOCUMENT', count: fitting.length }];
      return allow('documents-added', { findings, context: { text, sources } });
    },
  };
}
