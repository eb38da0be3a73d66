import type { PeriodReport, Review } from '../report/period-counts.ts';
import { countsText, type Period, periodText, type Report } from '../report/report.ts';
import { printable, styled } from '../terminal/terminal.ts';
import { dollars } from '../trail/cost.ts';

/** The report for a terminal. */
export function reportLines({ generated_at, inventory, run_stats, chain_length, reviews, period }: Report): string[] {
  return [
    `${printable(generated_at)}: ${chain_length} records in the ledger`,
    ...listed(
      'stored runs',
      Object.entries(run_stats).map(([status, runs]) => `${status} ${runs}`),
    ),
    ...listed('routes', inventory.map(routeText)),
    ...listed('reviews', reviews.map(reviewText)),
    ...(period === null ? [] : periodLines(period)),
  ];
}

function periodLines(period: Period & PeriodReport): string[] {
  const { routes, guards, approvers } = period;
  return [
    '',
    styled('bold', printable(`runs: ${periodText(period)}`)),
    ...listed(
      'by route',
      routes.map(
        ({ route, runs, by_status, input_tokens, output_tokens, micro_usd, runs_without_price: unpriced }) =>
          `${route}: ${runs} runs (${countsText(by_status)}), ${input_tokens} tokens in, ${output_tokens} out, ${dollars(micro_usd)}${unpriced === 0 ? '' : `, excluding ${unpriced} runs whose cost is unknown`}`,
      ),
    ),
    ...listed(
      'verdicts by guard',
      guards.map(({ route, guard, stage, verdicts, observed }) => {
        const watched = countsText(observed);
        return `${route}, ${guard} in ${stage}: ${[countsText(verdicts), watched && `observed: ${watched}`].filter(Boolean).join('; ')}`;
      }),
    ),
    ...listed(
      'decisions by approver',
      approvers.map(({ route, principal_id, ...decisions }) => `${route}, ${principal_id}: ${countsText(decisions)}`),
    ),
  ];
}

function listed(title: string, lines: readonly string[]): string[] {
  return [styled('bold', `${title}:`), ...(lines.length === 0 ? ['- none'] : lines.map((line) => `- ${printable(line)}`))];
}

function routeText(route: Report['inventory'][number]): string {
  const { model_risk_rating: risk, model_owner: owner, model_version: version, model_limitations: limits } = route;
  const facts = [
    `model ${route.model_name}`,
    ...(version === null ? [] : [`version ${version}`]),
    route.model_origin,
    ...(risk === null ? [] : [`risk ${risk}`]),
    ...(owner === null ? [] : [`owner ${owner}`]),
    ...(limits.length === 0 ? [] : [`limitations: ${limits.join(', ')}`]),
  ];
  return `${route.model_id}: ${facts.join('; ')}`;
}

function reviewText({ route, last_review, next_review, overdue }: Review): string {
  const last = last_review === null ? 'never reviewed' : `reviewed ${last_review}`;
  return `${route}: ${last}, ${overdue ? `OVERDUE since ${next_review}` : `next ${next_review}`}`;
}
