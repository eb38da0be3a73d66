import { badge } from '../shared/badge.ts';
import { byId } from '../shared/dom.ts';
import { deadline, moment } from '../shared/moment.ts';
import type { Session } from '../shared/session.ts';
import { give, REASON } from './order-dialog.ts';
import { rowButton, showRows } from './section.ts';

const KINDS = ['route', 'provider', 'guard', 'principal'];
/** Only routes have the second and third state. */
const STATES = ['disabled', 'approval_required', 'read_only'];
const FOR = {
  name: 'for',
  label: 'For',
  hint: 'Such as 30m or 2h. Afterwards, the previous state applies again. Requires a reason.',
};

/** Everything that is stopped or restricted, with buttons to lift a restriction or add one. */
export async function showStates({ api, routes }: Session, onDone: (text: string) => void): Promise<void> {
  const { states } = await api.states();
  const change = async (kind: string, name: string, values: Readonly<Record<string, string>>): Promise<void> => {
    const asked = Object.entries(values).filter(([field, value]) => ['state', 'reason', 'for'].includes(field) && value !== '');
    const { state, proposed } = await api.setState(kind, name, Object.fromEntries(asked));
    onDone(proposed === null ? `The ${kind} ${name} is ${state}.` : `A second operator must confirm the change of ${name}.`);
  };
  showRows(
    'states',
    ['Kind', 'Name', 'State', 'Since', 'By', 'Reason', 'Ends', 'Change'],
    states.map(({ kind, name, state, since, by, reason, until, proposed }) => [
      kind,
      name,
      badge({
        text: proposed === null ? state : `${state}, ${proposed.state} proposed`,
        tone: state === 'enabled' ? 'good' : 'bad',
      }),
      since === null ? '–' : moment(since),
      by ?? '–',
      reason ?? '–',
      until === null ? 'when it is enabled again' : deadline(until),
      rowButton('Enable…', `${kind} ${name}`, () =>
        give({
          title: `Enable the ${kind} ${name}?`,
          text: 'It serves requests again at every gateway within 2 seconds.',
          confirm: 'Enable',
          fields: [REASON],
          carryOut: (values) => change(kind, name, { ...values, state: 'enabled' }),
        }),
      ),
    ]),
    'Nothing is stopped or restricted.',
  );
  const names = [
    ...routes.map(({ name }) => name),
    ...routes.flatMap(({ provider, fallbacks }) => [provider.name, ...fallbacks.map(({ name }) => name)]),
    ...routes.flatMap(({ pipeline }) => [...pipeline.ingress, ...pipeline.egress].map(({ name }) => name)),
  ];
  byId('stop', HTMLButtonElement).onclick = () =>
    give({
      title: 'Stop something',
      text: 'Runs in progress that use it are ended. A route can also require an approval for each request, or be read-only.',
      confirm: 'Stop',
      fields: [
        { name: 'kind', label: 'Kind', options: KINDS },
        { name: 'name', label: 'Name', isRequired: true, suggestions: [...new Set(names)] },
        { name: 'state', label: 'State', options: STATES },
        REASON,
        FOR,
      ],
      carryOut: ({ kind = '', name = '', ...values }) => change(kind, name, values),
    });
}
