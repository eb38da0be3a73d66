import { CHANGES, OUTCOMES } from '@svc/runtime';
import { counted, percent } from '../../try/words.ts';
import { type Html, html } from '../../written-page/html.ts';
import type { Approvals, ReplayReport, Shares } from '../report.ts';
import { aDay, CHANGE_NAMES, interval } from '../words.ts';

/** Days of a chart. */
const MAX_DAYS = 92;
const STEPS = [1, 2, 5, 10];

const width = (name: string, part: number): string => `--${name}:${(100 * Math.min(1, part)).toFixed(2)}%`;

/** How many runs were replayed. */
export function coverageBar(replayed: number, of: number): Html {
  const label = `${counted(replayed, 'run')} replayed, ${percent(replayed, of)} of ${of.toLocaleString('en')}`;
  return html`<div class="coverage" role="img" aria-label="${label}" style="${width('part', of === 0 ? 0 : replayed / of)}"></div>`;
}

/** The share of each change with its interval, on one axis from zero. */
export function changePlot(changes: Shares): Html {
  const most = roundUp(Math.max(0.001, ...CHANGES.map((change) => changes[change].high ?? 0)));
  const rows = CHANGES.map((change) => {
    const share = changes[change];
    const [low, high, rate] = [share.low ?? 0, share.high ?? 0, share.rate ?? 0].map((part) => part / most) as [
      number,
      number,
      number,
    ];
    const track = html`<span class="track" aria-hidden="true"><i style="${width('from', low)};${width('to', high)}"></i><b style="${width('part', rate)}"></b></span>`;
    return html`<tr class="${change}"><th scope="row"><span class="mark ${change}"></span>${CHANGE_NAMES[change]}</th><td class="plot">${track}</td><td>${share.runs.toLocaleString('en')}</td><td>${percent(share.runs, share.of)}</td><td>${interval(share)}</td></tr>`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => html`<span>${Number((100 * part * most).toPrecision(3))} %</span>`);
  const axis = html`<span class="decades" aria-hidden="true">${ticks}</span>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="changes"><table class="forest"><thead><tr><th scope="col">Change</th><td class="plot">${axis}</td><th scope="col">runs</th><th scope="col">share</th><th scope="col">95 % interval</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** The next round number: 1, 2 or 5 times a power of ten, but at most 1. */
function roundUp(part: number): number {
  const power = 10 ** Math.floor(Math.log10(part));
  return Math.min(1, (STEPS.find((step) => step * power >= part * (1 - 1e-9)) ?? 10) * power);
}

/** Two bars a day: as recorded, and with the new configuration. */
export function approvalsByDay({ by_day, before_a_day, after_a_day, low, high, busiest_day }: Approvals): Html {
  const days = by_day.slice(-MAX_DAYS);
  const most = Math.max(0, ...days.map(({ before, after }) => Math.max(before, after)));
  const range = low === null || high === null ? '' : ` (${aDay(low)} to ${aDay(high)})`;
  const summary =
    after_a_day === null || before_a_day === null
      ? 'There are no runs.'
      : `${aDay(after_a_day)} a day${range}, recorded ${aDay(before_a_day)}.${busiest_day === null ? '' : ` Most on ${busiest_day.day}: ${busiest_day.requests}.`}`;
  if (most === 0) return html`<p>${summary}</p><p class="empty">No run would wait for approval.</p>`;
  const bars = days.map(
    ({ day, before, after }) =>
      html`<span title="${day}: recorded ${before}, now ${after}"><i class="before" style="${width('part', before / most)}"></i><i class="after" style="${width('part', after / most)}"></i></span>`,
  );
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  const label = `Requests for approval by day from ${first} to ${last}, at most ${most}`;
  const ends = first === last ? html`<span>${first}</span>` : html`<span>${first}</span><span>${last}</span>`;
  const older = by_day.length > days.length ? html`<p class="muted">The last ${MAX_DAYS} days with runs.</p>` : null;
  return html`<p>${summary}</p><p class="key"><span class="dot before"></span>recorded <span class="dot after"></span>now</p><div class="days" role="img" aria-label="${label}"><span class="most">${most.toLocaleString('en')}</span>${bars}</div><div class="axis" aria-hidden="true">${ends}</div>${older}`;
}

/** Recorded outcomes against the outcomes now. Runs off the diagonal change. */
export function outcomeMatrix({ outcomes, replayed }: Pick<ReplayReport, 'outcomes' | 'replayed'>): Html {
  const heads = OUTCOMES.map((is) => html`<th scope="col">now ${is}</th>`);
  const rows = OUTCOMES.map((was, n) => {
    const cells = OUTCOMES.map((is, column) => {
      const count = outcomes[was][is];
      const kind = count === 0 ? 'zero' : n === column ? 'same' : column > n ? 'stricter' : 'laxer';
      // Rare changes must be visible beside what stays.
      const shade = count === 0 ? 0 : 0.25 + 0.75 * Math.sqrt(count / replayed);
      return html`<td class="${kind}" style="--shade:${(100 * shade).toFixed(0)}%">${count === 0 ? '·' : count.toLocaleString('en')}</td>`;
    });
    return html`<tr><th scope="row">${was}</th>${cells}</tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="group" aria-labelledby="outcomes"><table class="matrix"><thead><tr><th scope="col">Recorded</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
