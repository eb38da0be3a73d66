import { badge } from '../shared/badge.ts';
import { byId, say } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import { showRows } from './section.ts';

/** How far behind each exporter is. */
export async function showExporters({ api }: Session): Promise<void> {
  const { ledger_length, exporters } = await api.exporters();
  say(
    byId('ledger-length', HTMLElement),
    `The ledger has ${ledger_length.toLocaleString('en')} ${ledger_length === 1 ? 'record' : 'records'}.`,
  );
  showRows(
    'exporters',
    ['Exporter', 'Delivered through record', 'Not delivered yet'],
    exporters.map(({ name, through_seq, lag_records }) => [
      name,
      through_seq.toLocaleString('en'),
      badge({ text: lag_records.toLocaleString('en'), tone: lag_records === 0 ? 'good' : 'waits' }),
    ]),
    'The configuration has no exporters.',
  );
}
