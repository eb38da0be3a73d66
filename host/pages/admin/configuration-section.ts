import { ApiError } from '../shared/api-error.ts';
import type { ConfigurationStatus, ReloadResult } from '../shared/api-types.ts';
import { byId, element, facts } from '../shared/dom.ts';
import { moment } from '../shared/moment.ts';
import { oneAtATime } from '../shared/one-at-a-time.ts';
import type { Session } from '../shared/session.ts';
import { dataTable } from '../shared/table.ts';
import { give, REASON } from './order-dialog.ts';
import { shortDigest, showRows } from './section.ts';

type Diagnostic = ReloadResult['warnings'][number];

/** The active configuration, its limits and plugins, and what the file would change. */
export async function showConfiguration(session: Session, onDone: (text: string) => void): Promise<void> {
  const { api } = session;
  const found = await api.configuration();
  showStatus(found);
  const place = byId('configuration-check', HTMLElement);
  place.replaceChildren();
  const check = byId('check-file', HTMLButtonElement);
  const apply = byId('apply-file', HTMLButtonElement);
  check.hidden = !session.may('admin');
  apply.hidden = true;
  check.onclick = () =>
    oneAtATime(check, async () => {
      try {
        const result = await api.reload({ dry_run: true });
        apply.hidden = result.file_digest === result.active_digest && result.changes.length === 0;
        place.replaceChildren(...whatChanges(result));
      } catch (error) {
        apply.hidden = true;
        place.replaceChildren(...whyRefused(error));
      }
    });
  apply.onclick = () =>
    give({
      title: 'Apply the configuration file?',
      text: 'Runs in progress finish with the configuration that they started with.',
      confirm: 'Apply',
      fields: [REASON],
      carryOut: async ({ reason }) => {
        const { changes } = await api.reload({ reason: reason === '' ? null : (reason ?? null) });
        onDone(`The configuration file was applied: ${changes.length} ${changes.length === 1 ? 'change' : 'changes'}.`);
      },
    });
}

function showStatus({ active_digest, since, config_path, limits, plugins }: ConfigurationStatus): void {
  byId('configuration-facts', HTMLElement).replaceChildren(
    ...facts([
      ['File', config_path],
      ['Digest', shortDigest(active_digest)],
      ['Active since', moment(since)],
    ]),
  );
  const amount = (value: number | null): string => (value === null ? '–' : value.toLocaleString('en'));
  showRows(
    'limits',
    ['Of', 'Name', 'Requests per minute', 'Tokens per minute', 'Concurrent'],
    limits.map(({ subject, name, requests_per_minute, tokens_per_minute, concurrent }) => [
      subject,
      name === '*' ? 'each other' : name,
      amount(requests_per_minute),
      amount(tokens_per_minute),
      amount(concurrent),
    ]),
    'The configuration has no limits.',
  );
  showRows(
    'plugins',
    ['Package', 'Version', 'Pin'],
    plugins.map(({ package: name, version, pin }) => [name, version, pin === null ? 'none' : shortDigest(pin)]),
    'No plugins are in use.',
  );
}

function whatChanges({ changes, warnings, active_digest, file_digest }: ReloadResult): Node[] {
  if (changes.length === 0) {
    const text =
      active_digest === file_digest
        ? 'The file matches the active configuration.'
        : 'The file differs from the active configuration, but without any effect.';
    return [element('p', { class: 'notice good', role: 'status' }, text), ...findings(warnings)];
  }
  const count = changes.length === 1 ? 'One entry differs' : `${changes.length} entries differ`;
  return [
    element('p', { class: 'notice waits', role: 'status', id: 'changes-title' }, `${count} from the active configuration.`),
    dataTable(
      'changes-title',
      ['Section', 'Entry', 'Change'],
      changes.map(({ section, name, change }) => [section, name, change]),
    ),
    ...findings(warnings),
  ];
}

function whyRefused(error: unknown): Node[] {
  const text = error instanceof Error ? error.message : 'The file cannot be checked.';
  return [
    element('p', { class: 'notice bad', role: 'alert' }, text),
    ...findings(error instanceof ApiError ? error.diagnostics : []),
  ];
}

function findings(diagnostics: readonly Diagnostic[]): Node[] {
  if (diagnostics.length === 0) return [];
  return [
    element('h3', { id: 'findings-title' }, 'Findings'),
    dataTable(
      'findings-title',
      ['Line', 'Code', 'Severity', 'Message'],
      diagnostics.map(({ line, code, severity, path, message }) => [String(line), code, severity, `${path}: ${message}`]),
    ),
  ];
}
