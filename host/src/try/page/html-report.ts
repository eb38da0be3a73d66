import { type Html, html } from '../../written-page/html.ts';
import { minute, tiles } from '../../written-page/page-text.ts';
import { writtenPage } from '../../written-page/written-page.ts';
import type { Example } from '../example.ts';
import type { PackTally, Tally } from '../tally.ts';
import type { TriedPacks } from '../tried-packs.ts';
import type { Result } from '../try-example.ts';
import { percent } from '../words.ts';
import { entityTable, scoreHistogram, shareBars, times } from './charts.ts';
import { exampleItem } from './example-list.ts';

/** Examples that are listed. The sums are of all. */
const MAX_LISTED = 100;

/** The page about what guards found. */
export class HtmlReport {
  readonly #showText: boolean;
  readonly #items: Html[] = [];
  #left = 0;

  /** @param showText whether the page shows what was found */
  constructor(showText: boolean) {
    this.#showText = showText;
  }

  add(example: Example, results: readonly (Result | null)[]): void {
    const item = exampleItem(example, results, this.#showText);
    if (item === null) return;
    if (this.#items.length < MAX_LISTED) this.#items.push(item);
    else this.#left += 1;
  }

  html(tally: Tally, { file, others }: Pick<TriedPacks, 'file' | 'others'>): Promise<string> {
    const guards = file === null ? 'Guards with their defaults, without a configuration' : html`Guards of <code>${file}</code>`;
    return writtenPage({
      style: 'try',
      title: 'Guards on examples',
      heading: 'What the guards find',
      about: html`${guards}, ${minute(new Date().toISOString())}. No model was called.`,
      content: html`${tiles(tilesOf(tally))}
${packCards(tally.packs)}
<section aria-labelledby="times"><h2 id="times">Time for a text</h2>${times(tally.packs)}</section>
<section aria-labelledby="examples"><h2 id="examples">Texts with findings</h2>${this.#examples(tally)}</section>`,
      footer: html`${others.length === 0 ? null : html`<p>Not tried, because they find nothing in a text or need a service: ${others.join(', ')}.</p>`}<p>Written by <code>svc try</code>. Offsets are UTF-16 code units.${this.#showText ? ' This page contains the texts that were found.' : ' Found texts are left out; --show-text shows them.'}</p>`,
    });
  }

  #examples({ found }: Tally): Html {
    if (this.#items.length === 0) return html`<p class="empty">${found === 0 ? 'The guards found nothing.' : ''}</p>`;
    const left =
      this.#left === 0
        ? null
        : html`<p class="muted">${this.#left.toLocaleString('en')} more with findings. <code>svc try --json</code> lists all.</p>`;
    return html`<ol class="examples">${this.#items}</ol>${left}`;
  }
}

function tilesOf({ examples, found, unreadable, failed }: Tally): Parameters<typeof tiles>[0] {
  return [
    { name: 'Texts', value: examples },
    { name: 'With findings', value: found },
    { name: 'Share', value: percent(found, examples) },
    { name: 'Not readable', value: unreadable, isBad: unreadable > 0 },
    ...(failed === 0 ? [] : [{ name: 'Failed checks', value: failed, isBad: true }]),
  ];
}

/** A card for each pack, with its thresholds side by side. */
function packCards(tallies: readonly PackTally[]): Html {
  const groups = Map.groupBy(tallies, ({ pack }) => pack.name);
  const cards = Array.from(groups, ([name, own]) => {
    const [lowest] = own;
    if (lowest === undefined) return null;
    const { type, mode } = lowest.pack.node;
    const isEmpty = own.every(({ findings }) => findings === 0);
    const details = isEmpty
      ? html`<p class="empty">Nothing found.</p>`
      : html`${scoreHistogram(
          lowest,
          own.map(({ pack }) => pack),
        )}${entityTable(own)}`;
    return html`<article class="card"><h2>${name} ${name === type ? null : html`<small>${type}</small>`}${mode === 'observe' ? html`<small>observes</small>` : null}</h2>${shareBars(own)}${details}</article>`;
  });
  return html`<div class="cards">${cards}</div>`;
}
