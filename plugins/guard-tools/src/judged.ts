import { allow, type GuardResult } from '@svc/sdk';
import { VERDICTS, type Withheld } from '@svc/sdk/guard';

/** The judgement on one tool, call or result. */
export interface Judged {
  readonly verdict: 'sanitize' | 'require_approval' | 'block';
  readonly code: string;
  /** The digest of a definition that differs from the pinned one. */
  readonly digest?: string;
  readonly withheld?: Withheld;
}

/** Maximum number of digests in one event. */
const MAX_DIGESTS = 20;

/** The strictest verdict, with the code of the first tool, call or result that has it. */
export function resultOf(judged: readonly Judged[]): GuardResult {
  const [first] = judged.toSorted((a, b) => VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict));
  if (first === undefined) return allow('tools');
  const withheld = judged.flatMap((each) => each.withheld ?? []);
  const digests = judged.flatMap(({ digest }) => digest ?? []).slice(0, MAX_DIGESTS);
  const counts = new Map<string, number>();
  for (const name of [...judged.map(({ code }) => code), ...new Set(digests)]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    verdict: first.verdict,
    code: first.code,
    edits: [],
    findings: [...counts].map(([entity_type, count]) => ({ entity_type, count })),
    ...(withheld.length > 0 && { withheld }),
    ...(first.digest !== undefined && {
      hint: { text: `The definition of an offered tool is not pinned. Its digest is sha256:${first.digest}.` },
    }),
  };
}
