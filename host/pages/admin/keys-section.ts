import type { CreatedKey, Key } from '../shared/api-types.ts';
import { badge } from '../shared/badge.ts';
import { byId, element } from '../shared/dom.ts';
import { deadline, moment } from '../shared/moment.ts';
import type { Session } from '../shared/session.ts';
import { give, REASON } from './order-dialog.ts';
import { onMore, rowButton, showRows } from './section.ts';

const ROLES = ['call', 'approve', 'audit', 'admin'];

/** Keys that were created at run time, with forms to create, rotate and revoke keys. */
export async function showKeys({ api, routes }: Session, onDone: (text: string) => void): Promise<void> {
  const shown: Key[] = [];
  let next: string | null = null;
  const more = byId('more-keys', HTMLButtonElement);
  const showMore = async (): Promise<void> => {
    const page = await api.keys(next);
    shown.push(...page.keys);
    next = page.next;
    more.hidden = next === null;
    showRows('keys', HEAD, shown.map(rowOf), 'No keys were created while the gateway runs.');
  };
  const rowOf = (key: Key): [HTMLElement, ...(Node | string)[]] => [
    element('code', {}, key.principal_id),
    key.roles.join(', '),
    key.routes?.join(', ') ?? 'all',
    key.team ?? '–',
    standingOf(key),
    moment(key.created_at),
    key.last_used_at === null ? 'never' : moment(key.last_used_at),
    key.revoked_at === null ? element('div', { class: 'buttons' }, ...buttonsOf(key)) : '',
  ];
  const buttonsOf = ({ id, principal_id }: Key): HTMLElement[] => [
    rowButton('Rotate…', `the key of ${principal_id}`, () =>
      give({
        title: `Replace the key of ${principal_id}?`,
        text: 'The old key stays valid for a day.',
        confirm: 'Rotate',
        fields: [REASON],
        carryOut: async ({ reason = '' }) => {
          const created = await api.rotateKey(id, reason === '' ? {} : { reason });
          onDone(`The key of ${principal_id} was replaced.`);
          showOnce(created);
        },
      }),
    ),
    rowButton('Revoke…', `the key of ${principal_id}`, () =>
      give({
        title: `Revoke the key of ${principal_id}?`,
        text: 'Every gateway refuses it within 2 seconds. This cannot be undone.',
        confirm: 'Revoke',
        fields: [REASON],
        carryOut: async ({ reason = '' }) => {
          await api.revokeKey(id, reason);
          onDone(`The key of ${principal_id} was revoked.`);
        },
      }),
    ),
  ];
  onMore(more, showMore);
  byId('create-key', HTMLButtonElement).onclick = () =>
    give({
      title: 'Create a key',
      text: 'The key is shown only once.',
      confirm: 'Create',
      fields: [
        {
          name: 'principal_id',
          label: 'Principal',
          isRequired: true,
          maxLength: 128,
          hint: 'Person or program that uses the key.',
        },
        { name: 'role', label: 'Role', options: ROLES },
        { name: 'route', label: 'Limit to route', suggestions: routes.map(({ name }) => name) },
        { name: 'team', label: 'Team', maxLength: 128 },
        { name: 'days', label: 'Valid for days', hint: 'Leave empty for a key that does not expire.' },
        REASON,
      ],
      carryOut: async ({ principal_id = '', role = 'call', route = '', team = '', days = '', reason = '' }) => {
        const expiry = days === '' ? {} : { expires_at: inDays(days) };
        const created = await api.createKey({
          principal_id,
          roles: [role as Key['roles'][number]],
          ...(route === '' ? {} : { routes: [route] }),
          ...(team === '' ? {} : { team }),
          ...expiry,
          ...(reason === '' ? {} : { reason }),
        });
        onDone(`A key for ${principal_id} was created.`);
        showOnce(created);
      },
    });
  await showMore();
}

const HEAD = ['Principal', 'Roles', 'Routes', 'Team', 'State', 'Created', 'Last used', 'Change'];

function standingOf({ revoked_at, expires_at }: Key): Node {
  if (revoked_at !== null) return badge({ text: 'revoked', tone: 'bad' });
  if (expires_at === null) return badge({ text: 'valid', tone: 'good' });
  if (Date.parse(expires_at) <= Date.now()) return badge({ text: 'expired', tone: 'bad' });
  return element('span', {}, badge({ text: 'valid', tone: 'good' }), ' until ', deadline(expires_at));
}

/** @throws {Error} with the reason to show */
function inDays(text: string): string {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 3650) throw new Error('Valid for days: enter a number from 1 to 3650.');
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

function showOnce({ principal_id, key }: CreatedKey): void {
  const place = byId('new-key', HTMLElement);
  place.hidden = false;
  place.replaceChildren(
    `Copy the key of ${principal_id} now. It is not shown again: `,
    element('code', { class: 'once', tabindex: '0' }, key),
  );
  place.scrollIntoView({ block: 'nearest' });
}
