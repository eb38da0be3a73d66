import { dollars } from '../trail/cost.ts';
import { Html, html } from '../written-page/html.ts';
import { minute, tiles } from '../written-page/page-text.ts';
import { writtenPage } from '../written-page/written-page.ts';
import type { ApproverCounts, GuardCounts, Review, RouteCounts } from './period-counts.ts';
import { periodText, type Report } from './report.ts';

const TEXT = new Html(' class="text"');
const VERDICTS = ['allow', 'sanitize', 'block', 'require_approval'];
const STATUSES = ['completed', 'blocked', 'denied', 'error', 'paused'];

/** The report as a page. */
export function reportPage(report: Report): Promise<string> {
  const { period, reviews } = report;
  return writtenPage({
    style: 'report',
    title: 'Report',
    heading: 'Report on runs and reviews',
    about: html`${period === null ? 'State' : `Runs: ${periodText(period)}. Reviews and routes`} at ${minute(report.generated_at)}`,
    content: html`${tiles(tilesOf(report))}
${reviewSection(reviews)}
${period === null ? null : [routeSection(period.routes), guardSection(period.guards), approverSection(period.approvers)]}
${inventorySection(report.inventory)}`,
    footer: html`<p>Written by <code>svc report</code> from the runs that the server lists. <code>svc ledger verify</code> verifies the underlying records.</p>`,
  });
}

function tilesOf({ period, reviews, chain_length, run_stats }: Report): Parameters<typeof tiles>[0] {
  const runs = period === null ? Object.values(run_stats) : period.routes.map((route) => route.runs);
  const decided = period?.approvers.reduce((all, { approved, denied }) => all + approved + denied, 0);
  const overdue = reviews.filter((review) => review.overdue).length;
  return [
    { name: 'Runs', value: sum(runs) },
    ...(decided === undefined ? [] : [{ name: 'Decisions', value: decided }]),
    { name: 'Overdue reviews', value: overdue, isBad: overdue > 0 },
    { name: 'Ledger records', value: chain_length },
  ];
}

/** `require_approval` as `Require approval`. */
function titled(name: string): string {
  return `${name[0]?.toUpperCase()}${name.slice(1).replace('_', ' ')}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** @param texts how many columns at the start are names */
function section(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number | Html)[])[],
  texts = 1,
): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  const cellOf = (value: string | number | Html, at: number): Html => {
    if (at === 0) return html`<th scope="row">${value}</th>`;
    return html`<td${at < texts ? TEXT : null}>${typeof value === 'number' ? value.toLocaleString('en') : value}</td>`;
  };
  const heads = columns.map((column, at) => html`<th scope="col"${at < texts ? TEXT : null}>${column}</th>`);
  const table = html`<div class="scroll" tabindex="0" role="group" aria-labelledby="${id}"><table><thead><tr>${heads}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map(cellOf)}</tr>`)}</tbody></table></div>`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${rows.length === 0 ? html`<p class="empty">None.</p>` : table}</section>`;
}

function reviewSection(reviews: readonly Review[]): Html {
  const rows = reviews.map(({ route, owner, risk_rating, last_review, next_review, overdue }) => [
    route,
    owner ?? '–',
    risk_rating ?? '–',
    last_review ?? 'never',
    overdue ? html`<strong class="overdue">overdue since ${next_review}</strong>` : next_review,
  ]);
  return section('Reviews', ['Route', 'Owner', 'Risk', 'Last review', 'Next review'], rows, 5);
}

function routeSection(routes: readonly RouteCounts[]): Html {
  const rows = routes.map(({ route, runs, by_status, input_tokens, output_tokens, micro_usd, runs_without_price }) => [
    route,
    runs,
    ...STATUSES.map((status) => by_status[status] ?? 0),
    input_tokens,
    output_tokens,
    runs_without_price === 0
      ? dollars(micro_usd)
      : html`${dollars(micro_usd)}<small> excluding ${runs_without_price} runs without a price</small>`,
  ]);
  return section('Runs by route', ['Route', 'Runs', ...STATUSES.map(titled), 'Tokens in', 'Tokens out', 'Cost'], rows);
}

function guardSection(guards: readonly GuardCounts[]): Html {
  const rows = guards.map(({ route, guard, stage, verdicts, observed }) => [
    route,
    guard,
    stage,
    ...VERDICTS.map((verdict) => verdicts[verdict] ?? 0),
    sum(Object.values(observed)),
  ]);
  return section('Verdicts by guard', ['Route', 'Guard', 'Stage', ...VERDICTS.map(titled), 'Observed only'], rows, 3);
}

function approverSection(approvers: readonly ApproverCounts[]): Html {
  const rows = approvers.map(({ route, principal_id, approved, denied }) => [route, principal_id, approved, denied]);
  return section('Decisions by approver', ['Route', 'Approver', 'Approved', 'Denied'], rows, 2);
}

function inventorySection(inventory: Report['inventory']): Html {
  const rows = inventory.map((route) => [
    route.model_id,
    route.model_name,
    route.model_version ?? '–',
    route.model_origin,
    route.model_owner ?? '–',
    route.model_risk_rating ?? '–',
    route.model_limitations.join('; ') || '–',
  ]);
  return section('Routes', ['Route', 'Model', 'Version', 'Origin', 'Owner', 'Risk', 'Limitations'], rows, 7);
}
