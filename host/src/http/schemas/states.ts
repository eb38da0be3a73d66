import { OPERATIONAL_STATES, STATEFUL_KINDS } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { DURATION_PATTERN } from '../../config/duration.ts';
import { eg, nullable, ref, text } from './parts.ts';

const STATES = [...new Set(Object.values(OPERATIONAL_STATES).flat())];

const state = Type.Enum(STATES, {
  description: 'A route may have any state; a provider, guard or principal is `enabled` or `disabled`.',
});
const since = Type.String({ format: 'date-time', description: 'When it was requested.' });
const by = nullable(Type.String(), 'Principal that requested it.');
const reason = nullable(Type.String(), 'The reason given by this principal.');

const kind = Type.Enum([...STATEFUL_KINDS], { description: 'Kind of the target. For a guard, the target is its pack.' });
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
        description:
          'The reason. It is stored in the operations log permanently. Required when disabling a guard, and with `for`.',
      }),
    ),
    for: Type.Optional(
      Type.String({
        pattern: DURATION_PATTERN,
        description:
          'How long, such as `30m`. Afterwards, the last state that does not expire applies again. Default: the state does not expire.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'SetState', description: 'The requested state.' },
);

export const State = Type.Object(
  {
    kind,
    name,
    state,
    since: nullable(since, 'When it was requested. Null: never changed.'),
    by,
    reason,
    until: nullable(Type.String({ format: 'date-time' }), 'When it expires. Null: never.'),
    next_state: nullable(state, 'The state after `until`. Null: it does not expire.'),
    proposed: nullable(
      Type.Object(
        { state, since, by, reason, for: nullable(Type.String(), 'How long. Null: it does not expire.') },
        { description: 'A proposed change.' },
      ),
      'A change that a second operator must confirm. Null: none.',
    ),
  },
  { $id: 'State', description: 'The state of a route, provider, guard or principal.' },
);
export type State = Static<typeof State>;

export const StateList = Type.Object(
  { states: Type.Array(ref(State), { description: 'Targets that are restricted, or that have a proposal.' }) },
  { $id: 'StateList', description: 'Everything stopped or restricted.' },
);
