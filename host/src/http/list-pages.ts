import { BadCursor, SvcError } from '@svc/contracts';
import type { FastifyContextConfig, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { eg } from './schemas.ts';

/** The query and the declarations that every list has. */
export const page = {
  query: {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: 1000,
        description: 'Maximum number of entries in one response.',
        ...eg(100),
      }),
    ),
    cursor: Type.Optional(Type.String({ description: 'Cursor from the `next` link of the previous page.', ...eg('1') })),
  },
  config: { errors: ['SVC-STORE-001'], headers: ['link'] },
} satisfies { query: object; config: FastifyContextConfig };
export const since_seq = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'Only records after this seq.',
    ...eg(0),
  }),
);
export const until = Type.Optional(
  Type.String({
    description: 'ISO 8601 upper bound of created_at, exclusive: `until` of one period is `since` of the next.',
    ...eg('2026-12-01T00:00:00Z'),
  }),
);
export const next = 'A Link header with rel="next" leads to the next page.';

/** The seq after which a page of records begins. @throws {SvcError} SVC-REQ-001 */
export function firstOf({ since_seq: asked = 0, cursor }: { readonly since_seq?: number; readonly cursor?: string }): number {
  if (cursor === undefined) return asked;
  return Number(/^\d{1,15}$/.test(cursor) ? cursor : refuseCursor(new BadCursor()));
}

/** @throws {SvcError} SVC-REQ-001 for an invalid cursor; any other error unchanged */
export function refuseCursor(error: unknown): never {
  if (error instanceof Error && error.name === 'BadCursor')
    throw new SvcError('SVC-REQ-001', 'querystring/cursor was not issued by this server; use the next link of the previous page');
  throw error;
}

/** Sets a relative link to the next page. It does not depend on any header of the request. */
export function linkNext(reply: FastifyReply, url: string, cursor: string): void {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  reply.header('link', `<${path}?${parameters}>; rel="next"`);
}
