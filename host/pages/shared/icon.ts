import { svg } from './dom.ts';

/** Line drawings on a grid of 24. */
const PATHS = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  pencil: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  pause: 'M9 6v12M15 6v12',
  cross: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  again: 'M4 11a8 8 0 0 1 14-4l2 2M20 4v5h-5M20 13a8 8 0 0 1-14 4l-2-2M4 20v-5h5',
  dot: 'M12 11.5v1',
  shield: 'M12 3l7 3v5c0 4.5-2.9 8-7 10-4.1-2-7-5.5-7-10V6z',
  model: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  card: 'M3 6h18v12H3zM3 10h18M6.5 14.5h4',
  bank: 'M3 10l9-6 9 6zM5 10v8M10 10v8M14 10v8M19 10v8M3 20h18',
  bolt: 'M13 3L5 13.5h6L10 21l9-11.5h-6.5z',
  gauge: 'M4 17a8.5 8.5 0 1 1 16 0M12 15l4-5',
  phone: 'M6 3h4l1.5 5-2.5 2a12 12 0 0 0 5 5l2-2.5 5 1.5v4a2 2 0 0 1-2 2C11 20 4 13 4 5a2 2 0 0 1 2-2z',
  waves: 'M3 8c3-3 6 3 9 0s6 3 9 0M3 13c3-3 6 3 9 0s6 3 9 0M3 18c3-3 6 3 9 0',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4 3.5-6 8-6s8 2 8 6',
} as const;
export type IconName = keyof typeof PATHS;

/** A decorative icon: the text beside it says the same. */
export function icon(name: IconName): SVGElement {
  return svg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('path', { d: PATHS[name] }));
}
