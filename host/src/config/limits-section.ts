import { Type } from 'typebox';
import { type RateLimit, SUBJECTS } from '../limits/rate-limits.ts';
import { nearestName } from './nearest.ts';
import type { Reader } from './reader.ts';
import { closed } from './schema-parts.ts';
import { sectionOf } from './sections.ts';

const subject = (whose: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: `${whose}, or \`*\` for each one without its own entry.` }),
  );
const most = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description }));

export const LimitSchema = closed(
  {
    key: subject('Id of a key that was created at run time (keys of the file and tokens have no id)'),
    principal: subject('A principal'),
    team: subject('A team'),
    route: subject('A route'),
    session: Type.Optional(
      Type.Literal('*', { description: '`*`: each session of each principal. Requests without a session have no such limit.' }),
    ),
    requests_per_minute: most(
      'Maximum number of runs that start per minute. After an idle minute, all of them may start at once.',
    ),
    tokens_per_minute: most('Maximum tokens of prompts and answers per minute. A request is admitted while any are left.'),
    concurrent: most('Maximum number of concurrent requests.'),
  },
  {
    description:
      'Limits for one key, principal, team or route, or for each session. Set exactly one of these five fields. A request must fit every entry that applies to it. Each process counts separately, so N processes admit up to N times as much.',
  },
);

/** The section `limits`. */
export interface LimitsPart {
  readonly limits: readonly RateLimit[];
}

/**
 * SVC-POL-001: an entry for no subject or for several, without a limit, or for the same subject as an earlier entry. SVC-POL-002: an unknown route.
 * Keys, principals and teams are not checked, because they may be created at run time.
 */
export const readLimits: Reader<LimitsPart> = (section, { entries, report }) => {
  const routes = entries.routes.names;
  const read = new Map<string, RateLimit>();
  for (const [index, entry] of sectionOf(LimitSchema, section).valid) {
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
      report.error('SVC-POL-001', path, 'sets no limit: add requests_per_minute, tokens_per_minute or concurrent');
    if (subject === 'route' && name !== '*' && !routes.includes(name))
      report.error('SVC-POL-002', [...path, 'route'], `unknown route ${name}`, { nearest: nearestName(name, routes) });
    if (read.has(`${subject}/${name}`))
      report.error('SVC-POL-001', path, `there is a limit for this ${subject} already: put all of its limits in one entry`);
    read.set(`${subject}/${name}`, { subject, name, requests_per_minute, tokens_per_minute, concurrent });
  }
  return { limits: [...read.values()] };
};
