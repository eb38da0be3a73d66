import type { Guard } from '@svc/sdk';
import type { Options } from './options.ts';

/** The verdicts that these options can lead to. If `require_approval` is among them, streams are buffered. */
export function verdictsOf({ rules, changed_pin, pins }: Options): Guard['verdicts'] {
  const approves = rules.some(({ action }) => action === 'approve');
  const pauses = changed_pin === 'require_approval' && Object.keys(pins).length > 0;
  return ['sanitize', 'block', ...(approves || pauses ? (['require_approval'] as const) : [])];
}
