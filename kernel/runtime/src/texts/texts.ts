import { cloneJson, isSvcError, JSON_LIMITS, JsonCounter, readWithheld } from '@svc/contracts';
import type { AskedTexts, Texts } from '@svc/kernel/ports';
import { addContext } from './added-context.ts';
import { collectRequest } from './collect.ts';
import type { Payload } from './payload.ts';
import { collectAnswer, tryCollectRequest } from './within-limits.ts';

/** The request was within the limits before a node added text, so its values and keys are not limited again. */
const UNCOUNTED = { ...JSON_LIMITS, values: Number.POSITIVE_INFINITY, keys: Number.POSITIVE_INFINITY };

/** Collects the texts of bodies in every protocol. */
export const texts: Texts = {
  ofRequest: (asked, numbers, admit) => {
    const payload = tryCollectRequest(asked, numbers, admit);
    return isSvcError(payload) ? payload : withWithholding(payload, asked, numbers);
  },
  ofAnswer: (run, numbers, enforces) => {
    const { protocol, completion } = run;
    if (completion === null) throw new Error('egress without an answer');
    // Nodes that only observe see what they would see if they enforced.
    const seen = enforces ? { answer: completion, left_out: [] } : protocol.checkable(cloneJson(completion));
    return collectAnswer(run, protocol.answer, seen.answer, numbers, { unread: seen.left_out });
  },
  added: (asked, numbers, context) => {
    addContext(asked.protocol, asked.request, context);
    return withWithholding(uncounted(asked, numbers), asked, numbers);
  },
};

function uncounted({ protocol, request }: Pick<AskedTexts, 'protocol' | 'request'>, numbers: boolean): Payload {
  return collectRequest(protocol, request, numbers, new JsonCounter(UNCOUNTED));
}

function withWithholding(payload: Payload, asked: AskedTexts, numbers: boolean): Payload {
  const { request } = asked;
  const { tools } = asked.protocol;
  payload.untrusted = asked.route.untrusted;
  if (tools === undefined) return payload;
  payload.withholding = {
    read: (withheld) => readWithheld(withheld, tools.inRequest(request)),
    apply: (withheld) => {
      tools.withhold(request, withheld);
      return uncounted(asked, numbers);
    },
  };
  return payload;
}
