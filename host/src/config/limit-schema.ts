import { Type } from 'typebox';
import { closed } from './schema-parts.ts';

const subject = (whose: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: `${whose}, or \`*\` for each one that has no entry of its own.` }),
  );
const most = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description }));

export const LimitSchema = closed(
  {
    key: subject('Id of a key that was created at run time (keys of the file and tokens have no id)'),
    principal: subject('A principal'),
    team: subject('A team'),
    route: subject('A route'),
    requests_per_minute: most('Runs that may begin in a minute; after a pause as many at once.'),
    tokens_per_minute: most('Tokens of prompts and answers in a minute. A request is admitted while some are left.'),
    concurrent: most('Requests that may wait for their answer at once.'),
  },
  {
    description:
      'What one key, principal, team or route may use; exactly one of the four is set, and all entries that apply count. Each process counts by itself, so several processes together admit at most that many times as much.',
  },
);
