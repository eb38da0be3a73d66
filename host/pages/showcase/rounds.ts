import { byId, element, svg } from '../shared/dom.ts';

const SIZE = 40;
const GAP = 10;

/** Repeats one message and draws a mark for each, until one is rejected. */
export class Rounds {
  readonly #results: boolean[] = [];

  add(passed: boolean): void {
    this.#results.push(passed);
    this.#show(`${this.#passed} accepted so far.`);
  }

  /** Called after the last request. */
  end(): void {
    const larger = this.#passed === this.#results.length;
    this.#show(larger ? `${this.#passed} accepted: the budget is larger.` : `${this.#passed} accepted, the next one rejected.`);
  }

  get #passed(): number {
    return this.#results.filter((result) => result).length;
  }

  #show(said: string): void {
    byId('rounds', HTMLElement).replaceChildren(
      element('figure', { class: 'rounds' }, this.#picture(), element('figcaption', {}, said)),
    );
  }

  #picture(): SVGElement {
    const width = this.#results.length * (SIZE + GAP);
    const marks = this.#results.map((passed, index) => {
      const x = index * (SIZE + GAP);
      const sign = passed ? 'M11 21l6 6 12-13' : 'M12 12l16 16M28 12L12 28';
      return svg(
        'g',
        { class: passed ? 'good' : 'bad', transform: `translate(${x} 0)` },
        svg('rect', { width: String(SIZE), height: String(SIZE), rx: '8' }),
        svg('path', { d: sign }),
      );
    });
    return svg(
      'svg',
      { viewBox: `0 0 ${width} ${SIZE}`, width: String(width), height: String(SIZE), 'aria-hidden': 'true' },
      ...marks,
    );
  }
}
