import { type Html, html } from '../../written-page/html.ts';
import { BINS, type PackTally } from '../tally.ts';
import type { TriedPack } from '../tried-packs.ts';
import { counted, milliseconds, percent } from '../words.ts';

const width = (part: number): Html => html`style="--part:${(100 * part).toFixed(2)}%"`;

/** The share of texts in which each threshold finds something. */
export function shareBars(tallies: readonly PackTally[]): Html {
  return html`<ul class="bars">${tallies.map(({ pack, found, findings, examples }) => {
    const label = pack.threshold === null ? 'found' : `at ${pack.threshold}`;
    const sums = `${counted(found, 'text')}, ${counted(findings, 'finding')}`;
    const bar = html`<span class="bar" aria-hidden="true" ${width(examples === 0 ? 0 : found / examples)}></span>`;
    return html`<li><span class="name">${label}</span><small>${sums}</small><span class="value">${percent(found, examples)}</span>${bar}</li>`;
  })}</ul>`;
}

/** What was found, by type. A column for each threshold. */
export function entityTable(tallies: readonly PackTally[]): Html {
  const names = [...new Set(tallies.flatMap(({ entities }) => [...entities.keys()]))];
  const findingsOf = (tally: PackTally, name: string): number => tally.entities.get(name)?.findings ?? 0;
  const most = Math.max(1, ...tallies.flatMap((tally) => names.map((name) => findingsOf(tally, name))));
  const rows = names
    .toSorted((a, b) => sum(tallies, b) - sum(tallies, a) || (a < b ? -1 : 1))
    .map((name) => {
      const cells = tallies.map((tally) => {
        const count = findingsOf(tally, name);
        return html`<td><span class="cell" ${width(count / most)}>${count.toLocaleString('en')}</span></td>`;
      });
      return html`<tr><th scope="row"><code>${name}</code></th>${cells}</tr>`;
    });
  const heads = tallies.map(
    ({ pack }) => html`<th scope="col">${pack.threshold === null ? 'findings' : `at ${pack.threshold}`}</th>`,
  );
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Findings by type"><table><thead><tr><th scope="col">Findings by type</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function sum(tallies: readonly PackTally[], name: string): number {
  return tallies.reduce((total, { entities }) => total + (entities.get(name)?.findings ?? 0), 0);
}

/** How sure the guard is: findings by score, with a line at each threshold. */
export function scoreHistogram({ scores }: PackTally, thresholds: readonly TriedPack[]): Html {
  const most = Math.max(1, ...scores);
  const total = scores.reduce((all, count) => all + count, 0);
  const peak = scores.indexOf(Math.max(...scores)) / BINS;
  const bars = scores.map((count, n) => {
    const range = `${(n / BINS).toFixed(2)} to ${((n + 1) / BINS).toFixed(2)}: ${counted(count, 'finding')}`;
    return html`<i ${width(count / most)} title="${range}"></i>`;
  });
  const known = thresholds.flatMap(({ threshold }) => threshold ?? []);
  const lines = known.map((threshold) => html`<b ${width(threshold)}><span>${threshold}</span></b>`);
  const label = `${counted(total, 'finding')} by score, most of them from ${peak.toFixed(2)} to ${(peak + 1 / BINS).toFixed(2)}${known.length === 0 ? '' : `; threshold ${known.join(', ')}`}`;
  return html`<figure><figcaption>Scores of findings <small>at most ${most.toLocaleString('en')} in a step of 0.05</small></figcaption><div class="histogram" role="img" aria-label="${label}"><div class="steps">${bars}</div>${lines}</div><div class="axis" aria-hidden="true"><span>0</span><span>0.25</span><span>0.5</span><span>0.75</span><span>1</span></div></figure>`;
}

/** A logarithmic axis from one power of ten to another, in milliseconds. */
function axisOf(tallies: readonly PackTally[]) {
  const exponents = tallies.flatMap(({ times: { median, longest } }) =>
    [median, longest].map((ms) => Math.log10(Math.max(ms, 0.001))),
  );
  const first = Math.floor(Math.min(...exponents));
  const last = Math.max(first + 1, Math.ceil(Math.max(...exponents)));
  const place = (ms: number): number => Math.min(1, Math.max(0, (Math.log10(Math.max(ms, 0.001)) - first) / (last - first)));
  return { place, first: `${10 ** first} ms`, last: `${10 ** last} ms` };
}

/** How long each guard takes for a text, on one logarithmic axis. */
export function times(tallies: readonly PackTally[]): Html {
  const axis = axisOf(tallies);
  const rows = tallies.map(({ pack, times: { median, p95, longest } }) => {
    const [from, to] = [axis.place(median), axis.place(longest)];
    const track = html`<span class="track" aria-hidden="true"><i style="--from:${(100 * from).toFixed(2)}%;--to:${(100 * to).toFixed(2)}%"></i><b class="median" ${width(from)}></b><b class="p95" ${width(axis.place(p95))}></b><b class="longest" ${width(to)}></b></span>`;
    const threshold = pack.threshold === null ? null : html` <small>${pack.threshold}</small>`;
    return html`<tr><th scope="row">${pack.name}${threshold}</th><td class="plot">${track}</td><td>${milliseconds(median)}</td><td>${milliseconds(p95)}</td><td>${milliseconds(longest)}</td></tr>`;
  });
  const ends = html`<span class="decades" aria-hidden="true"><span>${axis.first}</span><span>${axis.last}</span></span>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Time for a text"><table class="times"><thead><tr><th scope="col">Guard</th><td class="plot">${ends}</td><th scope="col"><span class="dot median"></span>median</th><th scope="col"><span class="dot p95"></span>95 %</th><th scope="col"><span class="dot longest"></span>longest</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
