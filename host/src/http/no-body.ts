import type { FastifyRequest } from 'fastify';

/** For bodies in which all fields are optional: without a body, none of them is set. */
export async function mayHaveNoBody(request: FastifyRequest): Promise<void> {
  request.body ??= {};
}
