import type { Static } from 'typebox';
import { type RateLimit, SUBJECTS } from '../limits/rate-limits.ts';
import type { LimitSchema } from './limit-schema.ts';
import { nearestName } from './nearest.ts';
import type { Report } from './report.ts';
import type { Section } from './sections.ts';

/**
 * The section `limits`. SVC-POL-001: an entry of no subject or of several, without a limit, or for what an earlier one limits; SVC-POL-002: an
 * unknown route. Keys, principals and teams may come while the server runs.
 */
export function readLimits(limits: Section<Static<typeof LimitSchema>>, routes: readonly string[], report: Report): RateLimit[] {
  const read = new Map<string, RateLimit>();
  for (const [index, entry] of limits.valid) {
    const path = ['limits', Number(index)];
    const { requests_per_minute = null, tokens_per_minute = null, concurrent = null } = entry;
    const named = SUBJECTS.filter((subject) => entry[subject] !== undefined);
    const [subject] = named;
    const name = subject === undefined ? undefined : entry[subject];
    if (subject === undefined || name === undefined || named.length > 1) {
      report.error('SVC-POL-001', path, `set exactly one of ${SUBJECTS.join(', ')}`);
      continue;
    }
    if (requests_per_minute === null && tokens_per_minute === null && concurrent === null)
      report.error('SVC-POL-001', path, 'limits nothing: set requests_per_minute, tokens_per_minute or concurrent');
    if (subject === 'route' && name !== '*' && !routes.includes(name))
      report.error('SVC-POL-002', [...path, 'route'], `unknown route ${name}`, { nearest: nearestName(name, routes) });
    if (read.has(`${subject}/${name}`))
      report.error('SVC-POL-001', path, `there is a limit for this ${subject} already: set all of it in one entry`);
    read.set(`${subject}/${name}`, { subject, name, requests_per_minute, tokens_per_minute, concurrent });
  }
  return [...read.values()];
}
