import { CHANGES, type Change } from '@svc/runtime';
import { counted, percent } from '../../try/words.ts';
import { type Html, html } from '../../written-page/html.ts';
import type { ReplayReport, Shares } from '../report.ts';
import { CHANGE_NAMES, interval } from '../words.ts';

type Row = Shares & { readonly name: Html; readonly runs: number };

/** What changes by guard, route and session. */
export function groupSections({ by_guard, by_route, by_session, more_sessions }: ReplayReport): Html[] {
  const guards = by_guard.map(({ guard, ...row }) => ({
    ...row,
    name: guard === '' ? html`texts that cannot be read` : html`<code>${guard}</code>`,
  }));
  const routes = by_route.map(({ route, ...row }) => ({ ...row, name: html`<code>${route}</code>` }));
  const sessions = by_session.map(({ principal, session, ...row }) => ({
    ...row,
    name: html`${principal} <small>${session}</small>`,
  }));
  const more =
    more_sessions === 0
      ? null
      : html`<p class="muted">${counted(more_sessions, 'session')} more, without changes or beyond the limit.</p>`;
  return [
    section(
      'Guard',
      'guards',
      guards,
      html`<p class="muted">Shares are of the runs that the guard checked. Freed: share of the runs that it stopped when they were recorded.</p>`,
    ),
    section('Route', 'routes', routes, null),
    ...(by_session.length === 0 ? [] : [section('Session', 'sessions', sessions, more)]),
  ];
}

function section(title: string, id: string, rows: readonly Row[], note: Html | null): Html {
  if (rows.length === 0) return html``;
  const heads = CHANGES.map((change) => html`<th scope="col"><span class="mark ${change}"></span>${CHANGE_NAMES[change]}</th>`);
  const lines = rows.map(
    (row) =>
      html`<tr><th scope="row">${row.name}</th><td>${row.runs.toLocaleString('en')}</td>${CHANGES.map((change) => cell(row, change))}</tr>`,
  );
  return html`<section aria-labelledby="${id}"><h2 id="${id}">By ${title.toLowerCase()}</h2>${note}<div class="scroll" tabindex="0" role="group" aria-labelledby="${id}"><table><thead><tr><th scope="col">${title}</th><th scope="col">runs</th>${heads}</tr></thead><tbody>${lines}</tbody></table></div></section>`;
}

/** A count with its share, the interval, and a bar as long as the share. */
function cell(shares: Shares, change: Change): Html {
  const share = shares[change];
  if (share.runs === 0) return html`<td class="zero">·</td>`;
  const count = html`<strong>${share.runs.toLocaleString('en')}</strong>`;
  if (share.of < share.runs) return html`<td>${count}</td>`;
  const bar = html`<span class="share ${change}" aria-hidden="true" style="--part:${(100 * (share.rate ?? 0)).toFixed(2)}%"></span>`;
  return html`<td>${count} <small>${percent(share.runs, share.of)}</small>${bar}<small>${interval(share)}</small></td>`;
}
