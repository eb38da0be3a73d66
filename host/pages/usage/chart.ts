import { element, svg } from '../shared/dom.ts';
import type { Measure } from './measures.ts';
import { roundUp } from './scale.ts';

/** Size of the drawing, in its own units. */
const WIDTH = 480;
const HEIGHT = 180;
const LEFT = 84;
const TOP = 12;
const BOTTOM = 28;
const SPAN = HEIGHT - TOP - BOTTOM;

export interface Plot {
  readonly measure: Measure;
  /** Names of the hours or days. */
  readonly slots: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

/** A chart of one measure: stacked bars, or a line for each series. */
export function chart({ measure, slots, series }: Plot): HTMLElement {
  const sums = slots.map((_, n) => series.map(({ values }) => values[n] ?? 0));
  const heights = sums.map((values) =>
    measure.kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values),
  );
  const highest = Math.max(0, ...heights);
  const peak = slots[heights.indexOf(highest)] ?? '';
  const label = highest === 0 ? `${measure.title}: none` : `${measure.title}: at most ${measure.text(highest)} (${peak})`;
  const scale = { top: roundUp(highest), step: (WIDTH - LEFT) / slots.length };
  const shapes = measure.kind === 'bars' ? bars(slots, series, scale, measure) : lines(series, scale);
  const drawing = svg(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label },
    ...axis(scale.top, measure),
    ...shapes,
    ...slotTexts(slots, scale.step),
  );
  return element('figure', { class: 'card chart' }, element('figcaption', {}, element('h2', {}, measure.title)), drawing);
}

interface Scale {
  readonly top: number;
  readonly step: number;
}

const yOf = (value: number, { top }: Scale): number => TOP + SPAN * (1 - value / top);

function axis(top: number, { text }: Measure): SVGElement[] {
  return [0, 0.5, 1].flatMap((part) => {
    const y = TOP + SPAN * (1 - part);
    return [
      svg('line', { class: 'grid', x1: `${LEFT}`, x2: `${WIDTH}`, y1: `${y}`, y2: `${y}` }),
      svg('text', { x: `${LEFT - 8}`, y: `${y + 5}`, 'text-anchor': 'end' }, text(top * part)),
    ];
  });
}

function bars(slots: readonly string[], series: Plot['series'], scale: Scale, { text }: Measure): SVGElement[] {
  const width = Math.max(1, scale.step * 0.72);
  return slots.flatMap((slot, n) => {
    let below = 0;
    return series.flatMap(({ name, values }, order) => {
      const value = values[n] ?? 0;
      if (value === 0) return [];
      below += value;
      const y = yOf(below, scale);
      const height = Math.max(0.5, (value / scale.top) * SPAN);
      const x = LEFT + scale.step * n + (scale.step - width) / 2;
      const place = { x: `${x}`, y: `${y}`, width: `${width}`, height: `${height}` };
      return [svg('rect', { class: `series-${order + 1}`, ...place }, svg('title', {}, `${slot}, ${name}: ${text(value)}`))];
    });
  });
}

function lines(series: Plot['series'], scale: Scale): SVGElement[] {
  return series.flatMap(({ values }, order) => {
    const points = values.map((value, n) => (value === null ? null : `${LEFT + scale.step * (n + 0.5)},${yOf(value, scale)}`));
    const path = points
      .map((point, n) => (point === null ? '' : `${(points[n - 1] ?? null) === null ? 'M' : 'L'}${point}`))
      .join(' ');
    const dots = points.filter((point) => point !== null).map((point) => dot(point, order));
    return [svg('path', { class: `line series-${order + 1}`, d: path }), ...dots];
  });
}

function dot(point: string, order: number): SVGElement {
  const [cx = '0', cy = '0'] = point.split(',');
  return svg('circle', { class: `series-${order + 1}`, cx, cy, r: '2.5' });
}

/** The first, the middle and the last. */
function slotTexts(slots: readonly string[], step: number): SVGElement[] {
  const last = slots.length - 1;
  return [...new Set([0, Math.floor(last / 2), last])].map((n) => {
    const anchor = n === 0 ? 'start' : n === last ? 'end' : 'middle';
    const x = n === 0 ? LEFT : n === last ? WIDTH : LEFT + step * (n + 0.5);
    return svg('text', { x: `${x}`, y: `${HEIGHT - 6}`, 'text-anchor': anchor }, slots[n] ?? '');
  });
}
