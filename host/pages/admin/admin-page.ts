import { problemText } from '../shared/api-error.ts';
import { byId, element, say, showProblem } from '../shared/dom.ts';
import { keepFocus } from '../shared/one-at-a-time.ts';
import type { Session } from '../shared/session.ts';
import { showConfiguration } from './configuration-section.ts';
import { showExporters } from './exporters-section.ts';
import { showKeys } from './keys-section.ts';
import { showOperations } from './operations-section.ts';
import { showStates } from './states-section.ts';

interface Part {
  /** Ids of its sections. */
  readonly sections: readonly string[];
  readonly roles: readonly ('admin' | 'audit')[];
  readonly show: (session: Session, onDone: (text: string) => void) => Promise<void>;
}

const PARTS: readonly Part[] = [
  { sections: ['configuration', 'limits', 'plugins'], roles: ['admin', 'audit'], show: showConfiguration },
  { sections: ['states'], roles: ['admin'], show: showStates },
  { sections: ['keys'], roles: ['admin'], show: showKeys },
  { sections: ['exporters'], roles: ['admin', 'audit'], show: showExporters },
  { sections: ['operations'], roles: ['admin', 'audit'], show: showOperations },
];

/** Shows the parts that the visitor's roles allow. A part that cannot be read does not hide the others. */
export function showAdmin(session: Session): void {
  const parts = PARTS.filter(({ roles }) => roles.some((role) => session.may(role)));
  const problem = byId('problem', HTMLElement);
  const refresh = byId('refresh', HTMLButtonElement);
  if (parts.length === 0) {
    refresh.hidden = true;
    const who = `${session.principal_id} cannot see this page`;
    showProblem(problem, `${who}, because it has neither the role admin nor the role audit.`);
    return;
  }
  say(
    byId('summary', HTMLElement),
    session.may('admin')
      ? 'Every change is recorded in the operations log.'
      : 'You can read this page. Changes need the role admin.',
  );
  const showAll = async (): Promise<void> => {
    const results = await Promise.allSettled(parts.map((part) => showPart(part, session, onDone)));
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [problemText(result.reason)] : []));
    showProblem(problem, reasons.length === 0 ? null : [...new Set(reasons)].join(' '));
    linkSections();
  };
  const onDone = (text: string): void => {
    const done = byId('done', HTMLElement);
    showProblem(done, text);
    // The button that opened the dialog may be gone: with the row of a state that was lifted, for example.
    void showAll().then(() => keepFocus(done));
  };
  refresh.addEventListener('click', () => {
    showProblem(byId('done', HTMLElement), null);
    void showAll();
  });
  void showAll();
}

async function showPart({ sections, show }: Part, session: Session, onDone: (text: string) => void): Promise<void> {
  await show(session, onDone);
  for (const name of sections) byId(name, HTMLElement).hidden = false;
}

function linkSections(): void {
  const sections = [...document.querySelectorAll<HTMLElement>('#app > .card:not([hidden])')];
  byId('sections', HTMLElement).replaceChildren(
    ...sections.map(({ id }) => element('a', { href: `#${id}` }, byId(`${id}-title`, HTMLElement).textContent ?? id)),
  );
}
