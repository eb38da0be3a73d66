import { SvcError } from '@svc/kernel/contracts';
import { acceptsHtml, requireRole, sendPage } from '../auth.ts';
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
          description: 'Without a key a browser gets the same page with status 401: it shows its sign-in form.',
          produces: ['text/html'],
        },
      },
      async (request, reply) => {
        requireRole(request, 'call', 'approve', 'audit', 'rag');
        return sendPage(reply, pages[name]);
      },
    );
  }

  // Holds nothing, so a browser may follow it before it has signed in.
  app.get('/', { config: { public: true }, schema: { hide: true } }, async (request, reply) => {
    if (!acceptsHtml(request) && request.headers.authorization === undefined)
      throw new SvcError('SVC-AUTH-001', 'missing or unknown key');
    return reply.redirect('/showcase');
  });
}
