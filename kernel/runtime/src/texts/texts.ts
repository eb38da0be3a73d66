import { cloneJson, JSON_LIMITS, JsonCounter } from '@svc/contracts';
import type { Texts } from '@svc/kernel/ports';
import { addContext } from './added-context.ts';
import { collectRequest } from './collect.ts';
import { collectAnswer, tryCollectRequest } from './within-limits.ts';

/** A request was within the limits before a node added text, so values and keys are not limited again. */
const UNCOUNTED = { ...JSON_LIMITS, values: Number.POSITIVE_INFINITY, keys: Number.POSITIVE_INFINITY };

/** Collects the texts of bodies in every protocol. */
export const texts: Texts = {
  ofRequest: tryCollectRequest,
  ofAnswer: (run, numbers, enforces) => {
    const { protocol, completion } = run;
    if (completion === null) throw new Error('egress without an answer');
    // Observing nodes see what they would see if they enforced.
    const seen = enforces ? { answer: completion, left_out: [] } : protocol.checkable(cloneJson(completion));
    return collectAnswer(run, protocol.answer, seen.answer, numbers, { unread: seen.left_out });
  },
  added: ({ protocol, request }, numbers, context) => {
    addContext(protocol, request, context);
    return collectRequest(protocol, request, numbers, new JsonCounter(UNCOUNTED));
  },
};
