import { Type } from 'typebox';
import { requireRole, sendPage } from '../auth.ts';
import type { Server, Surface } from '../surface.ts';

/** The two pages. Each is one file without data: it signs in and calls the JSON API like any other client. */
export function pageEndpoints(app: Server, { pages }: Surface): void {
  for (const name of ['approvals', 'showcase'] as const) {
    app.get(
      `/${name}`,
      {
        config: { signInPage: pages[name] },
        schema: {
          operationId: `get${name === 'approvals' ? 'Approvals' : 'Showcase'}Page`,
          tags: ['pages'],
          summary: name === 'approvals' ? 'Page for reviewing paused runs' : 'Interactive demo page',
          description: 'Without a key, a browser gets the same page with status 401 and a sign-in form.',
          produces: ['text/html'],
          response: { 200: Type.String({ description: 'The page.' }) },
        },
      },
      async (request, reply) => {
        requireRole(request, 'call', 'approve', 'audit', 'rag');
        return sendPage(reply, pages[name]);
      },
    );
  }

  app.get('/', { config: { signInPage: null }, schema: { hide: true } }, async (_request, reply) => reply.redirect('/showcase'));
}
