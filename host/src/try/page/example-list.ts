import type { Example } from '../example.ts';
import type { Result } from '../try-example.ts';
import { excerptOf, titleOf, whereIs } from '../words.ts';
import { type Html, html } from './html.ts';

/** Places of one type that are listed. */
const MAX_LISTED = 5;

/** What the packs found in an example. Null if they found nothing. */
export function exampleItem({ source, isText }: Example, results: readonly (Result | null)[], showText: boolean): Html | null {
  const rows = results.flatMap((result) => (result === null ? [] : findingItems(result, isText, showText)));
  return rows.length === 0 ? null : html`<li><h3>${source}</h3><ul class="findings">${rows}</ul></li>`;
}

function findingItems({ pack, verdict, findings, places }: Result, isText: boolean, showText: boolean): Html[] {
  const title = html`<span class="pack">${titleOf(pack)}</span>`;
  if (verdict === null) return [html`<li>${title}<span class="verdict block">the guard failed</span></li>`];
  return findings.map(({ entity_type, count, score }) => {
    const own = places.filter((place) => place.entity_type === entity_type);
    const highest = own.reduce((most, place) => Math.max(most, place.score), score ?? -1);
    const more = own.length - MAX_LISTED;
    const shown = own.slice(0, MAX_LISTED).map((place) => html`<li><span class="where">${whereIs(place, isText)}</span>${showText ? excerpt(place) : null}</li>`);
    const where = own.length === 0 ? html`<p class="where">in the texts together</p>` : html`<ul class="places">${shown}</ul>`;
    return html`<li>${title}<span class="verdict ${verdict}">${verdict}</span><code>${entity_type}</code><span class="count">${count === 1 ? null : `×${count}`}</span><span class="score">${highest < 0 ? null : highest.toFixed(2)}</span>${where}${more > 0 ? html`<p class="where">${more} more</p>` : null}</li>`;
  });
}

function excerpt(place: Parameters<typeof excerptOf>[0]): Html {
  const [before, found, after] = excerptOf(place);
  return html`<q>${before}<mark>${found}</mark>${after}</q>`;
}
