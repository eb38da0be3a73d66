import { type Html, html } from '../../written-page/html.ts';
import type { Example } from '../example.ts';
import { type FoundByPacks, mergeResults, titleOf } from '../merge-results.ts';
import type { Result } from '../try-example.ts';
import { excerptOf, whereIs } from '../words.ts';

/** Places of one type that are listed. */
const MAX_LISTED = 5;

/** What the packs found in an example. Null if they found nothing. */
export function exampleItem({ source, isText }: Example, results: readonly (Result | null)[], showText: boolean): Html | null {
  const items = mergeResults(results).map((found) => findingItem(found, titleOf(found, results), isText, showText));
  return items.length === 0 ? null : html`<li><h3>${source}</h3><ul class="findings">${items}</ul></li>`;
}

function findingItem(
  { verdict, code, finding, places, score }: FoundByPacks,
  title: string,
  isText: boolean,
  showText: boolean,
): Html {
  const pack = html`<span class="pack">${title}</span>`;
  if (verdict === null || finding === null)
    return html`<li>${pack}<span class="verdict block">the guard failed (${code})</span></li>`;
  const more = places.length - MAX_LISTED;
  const shown = places
    .slice(0, MAX_LISTED)
    .map((place) => html`<li><span class="where">${whereIs(place, isText)}</span>${showText ? excerpt(place) : null}</li>`);
  const where =
    places.length === 0
      ? html`<span class="where">in the texts together</span>`
      : html`<ul class="places">${shown}${more > 0 ? html`<li class="where">${more} more</li>` : null}</ul>`;
  const count = finding.count === 1 ? null : html` <span class="count">×${finding.count}</span>`;
  const sure = score === null ? null : html`<span class="score">${score.toFixed(2)}</span>`;
  return html`<li>${pack}<span class="verdict ${verdict}">${verdict}</span><span><code>${finding.entity_type}</code>${count}</span>${sure}${where}</li>`;
}

function excerpt(place: Parameters<typeof excerptOf>[0]): Html {
  const [before, found, after] = excerptOf(place);
  return html`<q>${before}<mark>${found}</mark>${after}</q>`;
}
