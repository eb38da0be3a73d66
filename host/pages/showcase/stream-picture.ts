import { element, svg } from '../shared/dom.ts';

/** Characters received so far, by time. */
export interface Arrival {
  readonly at_ms: number;
  readonly characters: number;
}

const WIDTH = 240;
const HEIGHT = 48;

/** Draws how an answer arrived: time to the right, text upwards, a red end if it was cut off. */
export function streamPicture(arrivals: readonly Arrival[], cut: boolean): HTMLElement {
  const last = arrivals.at(-1) ?? { at_ms: 0, characters: 0 };
  const x = ({ at_ms }: Arrival): string => ((at_ms / Math.max(last.at_ms, 1)) * (WIDTH - 12) + 4).toFixed(1);
  const y = ({ characters }: Arrival): string =>
    (HEIGHT - 6 - (characters / Math.max(last.characters, 1)) * (HEIGHT - 14)).toFixed(1);
  const steps = arrivals.map((arrival) => `H${x(arrival)}V${y(arrival)}`).join('');
  const said = `${last.characters} characters in ${arrivals.length} pieces over ${Math.round(last.at_ms)} ms${cut ? ', then cut off' : ''}`;
  const picture = svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true' },
    svg('path', { class: 'line', d: `M4 ${HEIGHT - 6}${steps}` }),
    ...(cut ? [svg('path', { class: 'end', d: `M${x(last)} 2V${HEIGHT - 2}` })] : []),
  );
  return element('figure', { class: 'spark' }, picture, element('figcaption', {}, said));
}
