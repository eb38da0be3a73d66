import { BadCursor, SvcError } from '@svc/contracts';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';

/** Query parameters of every list. */
export const page = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 1000, description: 'Maximum number of entries in one response.' }),
  ),
  cursor: Type.Optional(Type.String({ description: 'Cursor from the `next` link of the previous page.' })),
};
export const since_seq = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'Only records after this seq.',
  }),
);
export const until = Type.Optional(
  Type.String({ description: 'ISO 8601 upper bound of created_at, exclusive: `until` of one period is `since` of the next.' }),
);
export const next = 'A Link header with rel="next" leads to the next page.';

/** After which seq a page of records begins. @throws {SvcError} SVC-REQ-001 */
export function firstOf({ since_seq: asked = 0, cursor }: { readonly since_seq?: number; readonly cursor?: string }): number {
  if (cursor === undefined) return asked;
  return Number(/^\d{1,15}$/.test(cursor) ? cursor : refuseCursor(new BadCursor()));
}

/** @throws {SvcError} SVC-REQ-001 for a cursor of others, else what it is given */
export function refuseCursor(error: unknown): never {
  if (error instanceof Error && error.name === 'BadCursor')
    throw new SvcError('SVC-REQ-001', 'querystring/cursor is not a cursor of this server');
  throw error;
}

/** Relative, so that no header of the request decides where a client goes next. */
export function linkNext(reply: FastifyReply, url: string, cursor: string): void {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  reply.header('link', `<${path}?${parameters}>; rel="next"`);
}
