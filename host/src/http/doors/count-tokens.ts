import type { ChatRequest } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { clientGone } from '../client-gone.ts';
import { promptTokens, withinLimits } from '../limits.ts';
import type { Surface } from '../surface.ts';
import type { AskedRoute } from './asked-route.ts';

/** The tokens of a request, as the gateway counts them: within the limits, and with no run. @throws {SvcError} */
export function countTokens(
  chat: ChatRequest,
  { principal, runtime }: AskedRoute,
  surface: Surface,
  reply: FastifyReply,
): Promise<number> {
  surface.gateway.states.assertGoesOn({ route: runtime, principal_id: principal.principal_id });
  const gone = clientGone(reply);
  return withinLimits(
    { limits: surface.limits, principal, route: runtime.name, reply },
    () => promptTokens(chat),
    async (bill) => {
      const tokens = await surface.token_questions.answer(chat, principal.principal_id, gone);
      bill(tokens);
      return tokens;
    },
  );
}
