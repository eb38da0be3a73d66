import { OPERATIONAL_STATES, STATEFUL_KINDS } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { eg, nullable, ref, text } from './parts.ts';

const STATES = [...new Set(Object.values(OPERATIONAL_STATES).flat())];

const state = Type.Enum(STATES, {
  description: 'For a route any of them; for a provider, a guard or a principal `enabled` or `disabled`.',
});
const since = Type.String({ format: 'date-time', description: 'When it was asked for.' });
const by = nullable(Type.String(), 'Principal that asked for it.');
const reason = nullable(Type.String(), 'As that principal gave it.');

const kind = Type.Enum([...STATEFUL_KINDS], { description: 'What sort of thing. A guard is a pack.' });
const name = text('Its name in the configuration, percent-encoded.');

export const StateTarget = Type.Object({
  kind: Type.Enum([...STATEFUL_KINDS], { ...kind, ...eg('route') }),
  name: Type.String({ ...name, ...eg('chat') }),
});

export const SetState = Type.Object(
  {
    state,
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Why; stored in the operations log for ever. Required to disable a guard.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'SetState', description: 'The state that something is to have.' },
);

export const State = Type.Object(
  {
    kind,
    name,
    state,
    since: nullable(since, 'When it was asked for; null: nobody has changed it.'),
    by,
    reason,
    proposed: nullable(
      Type.Object({ state, since, by, reason }, { description: 'A proposal.' }),
      'What a second operator must ask for, too, before it holds; null: nothing.',
    ),
  },
  { $id: 'State', description: 'Whether something is in use.' },
);
export type State = Static<typeof State>;

export const StateList = Type.Object(
  { states: Type.Array(ref(State), { description: 'What is not enabled, or is proposed to be changed.' }) },
  { $id: 'StateList', description: 'What operators have put out of use.' },
);
