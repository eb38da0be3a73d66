import { Type } from 'typebox';
import { DEFAULT_ROLES } from '../../config/roles.ts';
import { requireRole, sendPage } from '../auth.ts';
import type { Page } from '../pages.ts';
import { PAGE_NAMES, PAGES, type PageName } from '../schemas.ts';
import type { Server } from '../typed-server.ts';

const html = { 'text/html': '<!doctype html><title>svc</title>' };

/** Serves the pages. Each is one file without data: it signs in and calls the JSON API as any other client does. */
export function pageEndpoints(app: Server, pages: Readonly<Record<PageName, Page>>): void {
  for (const name of PAGE_NAMES) {
    app.get(
      `/${name}`,
      {
        config: {
          roles: DEFAULT_ROLES,
          signInPage: pages[name],
          headers: ['content-security-policy'],
          example: { response: html, others: { 401: html } },
        },
        schema: {
          operationId: `get${name.charAt(0).toUpperCase()}${name.slice(1)}Page`,
          tags: ['pages'],
          summary: PAGES[name],
          description: 'Without a key, a browser gets the same page with status 401 and a sign-in form.',
          produces: ['text/html'],
          response: { 200: Type.String({ description: 'The HTML page.' }) },
        },
      },
      async (request, reply) => {
        requireRole(request);
        return sendPage(reply, pages[name]);
      },
    );
  }

  app.get('/', { config: { roles: DEFAULT_ROLES, signInPage: null }, schema: { hide: true } }, async (_request, reply) =>
    reply.redirect('/showcase'),
  );
}
