import type { FastifyRequest } from 'fastify';

/** For bodies whose fields are all optional: without a body, none of them is set. */
export async function mayHaveNoBody(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}
