import { CHANGES, type Change } from '@svc/runtime';
import { counted, percent } from '../../try/words.ts';
import { type Html, html } from '../../written-page/html.ts';
import { minute } from '../../written-page/page-text.ts';
import { writtenPage } from '../../written-page/written-page.ts';
import type { ReplayReport } from '../report.ts';
import { actsText, aDay, CHANGE_NAMES, LEFT_OUT_NAMES, NOT_ASKED_NAMES } from '../words.ts';
import { approvalsByDay, changePlot, coverageBar, outcomeMatrix } from './charts.ts';
import { groupSections } from './group-tables.ts';

/** Runs of each change that the page lists. */
const MAX_LISTED = 20;

/** The report as a page. */
export function replayPage(report: ReplayReport): Promise<string> {
  const { configuration, period, replayed } = report;
  const digest = configuration.digest.slice(0, 'sha256:'.length + 12);
  const route = period.route === null ? null : html` of the route <code>${period.route}</code>`;
  const from = period.from === null ? null : html`from ${minute(period.from)} `;
  const facts = html`<code>${configuration.file}</code> (${digest}) on recorded runs${route} ${from}until ${minute(period.to)}. No model was called.`;
  const empty = html`<section><p class="empty">No run could be replayed, for the reasons above. To record the content of runs, set <code>server.record_content: true</code>.</p></section>`;
  return writtenPage({
    style: 'replay',
    title: 'Replay',
    heading: 'What the new configuration would change',
    about: facts,
    content: html`${notReplayed(report)}
${replayed === 0 ? empty : [tiles(report), plots(report), groupSections(report), runSections(report)]}`,
    footer: html`<p>Written by <code>svc replay</code>. Intervals are Wilson score intervals at 95 %: they show how much a share may differ in later traffic of the same kind. <code>svc explain</code> shows a run.</p>`,
  });
}

/** What was left out comes first, because it limits everything below. */
function notReplayed({ not_replayed, replayed, limits, by_guard }: ReplayReport): Html {
  const { of, runs, reasons, missing_routes } = not_replayed;
  const items = reasons.map(({ why, runs: count, run_ids }) => {
    const routes =
      why === 'route_missing' ? html` (${missing_routes.map(({ route, runs: each }) => `${route} ${each}`).join(', ')})` : null;
    const more = count > run_ids.length ? ' …' : '';
    return html`<li><details><summary><strong>${count.toLocaleString('en')}</strong> ${LEFT_OUT_NAMES[why]}${routes}</summary><p class="mono">${run_ids.join(', ')}${more}</p></details></li>`;
  });
  const notes = [
    ...(limits.answer_not_kept === 0
      ? []
      : [
          html`In ${counted(limits.answer_not_kept, 'run')} the answer was not recorded. Its verdicts are assumed to stay the same.`,
        ]),
    ...(limits.masked_before === 0
      ? []
      : [
          html`${counted(limits.masked_before, 'run')} contained masked texts when they were recorded. Guards see only the masks, so this page cannot show what would no longer be masked.`,
        ]),
    ...limits.guards_not_asked.map(
      ({ guard, why }) =>
        html`The guard <code>${guard}</code> did not run, because ${NOT_ASKED_NAMES[why]}. Its recorded verdicts are assumed to stay the same.`,
    ),
    ...by_guard
      .filter(({ failed }) => failed > 0)
      .map(
        ({ guard, failed }) =>
          html`<strong class="failed">The guard <code>${guard}</code> failed in ${counted(failed, 'run')}.</strong> Its <code>on_error</code> decided.`,
      ),
  ];
  return html`<section aria-labelledby="coverage"><h2 id="coverage">Not replayed: ${runs.toLocaleString('en')} of ${counted(of, 'run')} (${percent(runs, of)})</h2>${coverageBar(replayed, of)}<ul class="reasons">${items}</ul>${notes.length === 0 ? null : html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`}</section>`;
}

function tiles({ replayed, changes, approvals }: ReplayReport): Html {
  const tile = (name: string, value: string, note: string, kind: string) =>
    html`<div class="${kind}"><dt>${name}</dt><dd>${value}</dd><dd class="note">${note}</dd></div>`;
  const ofChange = (change: Change) => {
    const { runs, of } = changes[change];
    return tile(titled(CHANGE_NAMES[change]), percent(runs, of), counted(runs, 'run'), runs === 0 ? 'none' : change);
  };
  const { before_a_day: before, after_a_day: after } = approvals;
  const waits =
    after === null || before === null ? null : tile('Approvals a day', aDay(after), `recorded ${aDay(before)}`, 'none');
  return html`<dl class="tiles">${tile('Replayed', replayed.toLocaleString('en'), 'runs', 'none')}${CHANGES.map(ofChange)}${waits}</dl>`;
}

function plots(report: ReplayReport): Html {
  return html`<section aria-labelledby="changes"><h2 id="changes">Share of runs that change</h2>${changePlot(report.changes)}</section>
<div class="pair"><section aria-labelledby="approvals"><h2 id="approvals">Requests for approval</h2>${approvalsByDay(report.approvals)}</section>
<section aria-labelledby="outcomes"><h2 id="outcomes">Runs by outcome</h2>${outcomeMatrix(report)}</section></div>`;
}

function runSections({ runs, changes }: ReplayReport): Html[] {
  return CHANGES.flatMap((change) => {
    const listed = runs[change].slice(0, MAX_LISTED);
    if (listed.length === 0) return [];
    const title = titled(CHANGE_NAMES[change]);
    const more = changes[change].runs - listed.length;
    const rows = listed.map(
      ({ run_id, created_at, route, session, by }) =>
        html`<tr><th scope="row" class="mono">${run_id}</th><td class="text">${minute(created_at)}</td><td class="text">${route}</td><td class="text">${session ?? '–'}</td><td class="text">${actsText(by)}</td></tr>`,
    );
    const heads = ['Run', 'Recorded', 'Route', 'Session', change === 'freed' ? 'Was stopped by' : 'Guard (code)'].map(
      (head) => html`<th scope="col" class="text">${head}</th>`,
    );
    return [
      html`<section aria-labelledby="runs-${change}"><h2 id="runs-${change}"><span class="mark ${change}"></span>${title} <small>${counted(changes[change].runs, 'run')}</small></h2><div class="scroll" tabindex="0" role="group" aria-labelledby="runs-${change}"><table><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>${more > 0 ? html`<p class="muted">${counted(more, 'run')} more. <code>svc replay --json</code> lists up to 1,000 of each kind.</p>` : null}</section>`,
    ];
  });
}

function titled(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}
