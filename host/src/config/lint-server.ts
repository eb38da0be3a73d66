import { isObject, type JsonValue } from '@svc/contracts';
import type { Report } from './report.ts';

/** SVC-POL-001: a body within its limit that could never be admitted. */
export function lintServer(server: JsonValue | undefined, report: Report): void {
  if (!isObject(server)) return;
  const { body_limit_bytes: body, max_bytes_in_flight: most } = server;
  if (typeof body !== 'number' || typeof most !== 'number' || body <= most) return;
  report.error('SVC-POL-001', ['server', 'max_bytes_in_flight'], 'is less than body_limit_bytes', {
    expected: `a whole number from ${body}, or a smaller body_limit_bytes`,
  });
}
