import { isUtf8 } from 'node:buffer';
import { SvcError } from '@svc/kernel/contracts';
import type { FastifyInstance } from 'fastify';

/** Takes JSON in UTF-8 as it is and nothing else: a replaced byte would be recorded as something that nobody sent. */
export function useJsonParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') return done(new SvcError('SVC-REQ-004', 'send the body without a content encoding'));
    if (typeof body === 'string' || !isUtf8(body)) return done(new SvcError('SVC-REQ-001', 'the body is not UTF-8'));
    return parse(request, body.toString(), done);
  });
}
