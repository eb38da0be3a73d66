import type { Label, Tone } from '../../src/trail/words.ts';
import type { IconName } from './icon.ts';

/** Risk is the operator's own text; only common words have a colour. */
const RISKS: Readonly<Record<string, Tone>> = { low: 'good', medium: 'waits', moderate: 'waits', high: 'bad', critical: 'bad' };

const ICONS: Readonly<Record<Tone, IconName>> = { plain: 'dot', good: 'check', changed: 'pencil', waits: 'pause', bad: 'cross' };

export function riskLabel(risk: string): Label {
  return { text: `${risk} risk`, tone: RISKS[risk.toLowerCase()] ?? 'plain' };
}

export function iconOf(tone: Tone): IconName {
  return ICONS[tone];
}
