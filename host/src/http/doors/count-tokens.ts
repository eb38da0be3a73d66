import type { ChatRequest } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { clientGone } from '../client-gone.ts';
import { promptTokens, withinLimits } from '../limits.ts';
import type { TokenQuestions } from '../token-questions.ts';
import type { AskedRoute } from './asked-route.ts';
import type { DoorParts } from './serve.ts';

/** What a door needs to count tokens. */
export interface CountingParts extends DoorParts {
  readonly token_questions: TokenQuestions;
}

/** Counts the tokens of a request. `limits` apply, but there is no run. @throws {SvcError} */
export function countTokens(
  chat: ChatRequest,
  { principal, runtime }: AskedRoute,
  { gateway, limits, token_questions }: CountingParts,
  reply: FastifyReply,
): Promise<number> {
  gateway.states.assertMayContinue({ route: runtime, principal_id: principal.principal_id });
  const gone = clientGone(reply);
  return withinLimits(
    { limits, principal, route: runtime.name, reply },
    () => promptTokens(chat),
    async (bill) => {
      const tokens = await token_questions.answer(chat, principal.principal_id, gone);
      bill(tokens);
      return tokens;
    },
  );
}
