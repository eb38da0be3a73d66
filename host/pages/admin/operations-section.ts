import type { Operation } from '../shared/api-types.ts';
import { byId, element } from '../shared/dom.ts';
import { moment } from '../shared/moment.ts';
import type { Session } from '../shared/session.ts';
import { onMore, showRows } from './section.ts';

const PAGE = 50;

/** The operations log, newest first. */
export async function showOperations({ api }: Session): Promise<void> {
  const shown: Operation[] = [];
  /** All entries after this one are already shown. */
  let from = await api.operationsLength();
  const older = byId('more-operations', HTMLButtonElement);
  const showOlder = async (): Promise<void> => {
    const since = Math.max(0, from - PAGE);
    shown.push(...(await api.operations(since, from - since)).toReversed());
    from = since;
    older.hidden = from === 0;
    showRows('operations', ['Entry', 'Time', 'Who', 'Action', 'What', 'Reason', 'Change'], shown.map(rowOf), 'The log is empty.');
  };
  onMore(older, showOlder);
  if (from > 0) await showOlder();
  else showRows('operations', [], [], 'The log is empty.');
}

function rowOf({ seq, at, actor, action, target, reason, change }: Operation): [string, ...(Node | string)[]] {
  return [
    String(seq),
    moment(at),
    actor.principal_id ?? 'operator of the server process',
    element('code', {}, action),
    `${target.kind} ${target.name}`,
    reason ?? '–',
    Object.keys(change).length === 0
      ? '–'
      : element('details', {}, element('summary', {}, 'Values'), element('pre', {}, JSON.stringify(change, null, 2))),
  ];
}
