import type { Finder } from '@svc/sdk/masking';
import type { GuardScan } from '@svc/sdk/plugin';
import type { Chosen } from './chosen.ts';
import { secretsIn } from './secrets-in.ts';
import { placeholder } from './tally.ts';

/** What stands in one text, outside any run. */
export async function scan(text: string, chosen: Chosen, finder: Finder): Promise<GuardScan> {
  const findings = await secretsIn(text, chosen, finder);
  let sanitized = '';
  let from = 0;
  for (const { entity_type, start, end } of findings) {
    sanitized += text.slice(from, start) + placeholder(entity_type);
    from = end;
  }
  return { findings, sanitized: sanitized + text.slice(from) };
}
