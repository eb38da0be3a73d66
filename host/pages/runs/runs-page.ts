import { byId } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import { addressOf, type Place, placeOf } from './filters.ts';
import { RunList } from './run-list.ts';
import { showRun } from './run-view.ts';

/** Shows a list of runs or one run, whichever the address names. Links within the page do not load it again, and the back button works. */
export function showRuns(session: Session): void {
  const first = placeOf(location.search);
  let place = first;
  const list = new RunList(session, (filters) => go({ run_id: null, filters }, true));

  const show = async (next: Place, again: boolean): Promise<void> => {
    const before = place;
    place = next;
    byId('list', HTMLElement).hidden = next.run_id !== null;
    byId('one', HTMLElement).hidden = next.run_id === null;
    if (next.run_id !== null) return showRun(session, next, next !== first);
    document.title = 'Runs – svc';
    byId('one', HTMLElement).replaceChildren();
    await list.show(next.filters, again);
    // When the visitor returns from a run, focus its row.
    if (before.run_id !== null && place === next) (list.linkOf(before.run_id) ?? byId('list-title', HTMLElement)).focus();
  };

  const go = (next: Place, again: boolean): void => {
    history.pushState(null, '', addressOf(next));
    scrollTo(0, 0);
    void show(next, again);
  };

  addEventListener('popstate', () => void show(placeOf(location.search), false));
  byId('app', HTMLElement).addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link === null || !isPlain || link.pathname !== location.pathname || link.hash !== '') return;
    event.preventDefault();
    go(placeOf(link.search), false);
  });
  void show(first, true);
}
