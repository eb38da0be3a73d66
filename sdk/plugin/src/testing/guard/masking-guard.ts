import type { Edit, Guard, GuardContext, GuardResult, GuardStream, StreamStep, Verdict } from '@svc/contracts';

export interface MaskingGuardOptions {
  word: string;
  replacement: string;
  verdict: Exclude<Verdict, 'allow'>;
  capability: 'window' | 'post';
}

/** The smallest guard that has all features. The suite is tested with it and with broken copies of it. */
export function maskingGuard({ word, replacement, verdict, capability }: MaskingGuardOptions): Guard {
  const result = (count: number, edits: readonly Edit[]): GuardResult =>
    count === 0
      ? { verdict: 'allow', code: 'clean', edits: [], findings: [] }
      : { verdict, code: 'word', edits, findings: [{ entity_type: 'word', count }] };
  const check: Guard['check'] = (segments) => {
    const edits = segments.flatMap(({ index, text }) =>
      occurrences(text, word).map((start) => ({ segment: index, start, end: start + word.length, replacement })),
    );
    return result(edits.length, edits);
  };
  return {
    stages: ['ingress', 'egress'],
    verdicts: [verdict],
    check,
    stream: { capability, open },
  };

  function open(ctx: GuardContext): GuardStream {
    const pending = new Map<number, string>();
    const whole = new Map<number, string>();
    let found = 0;
    const step = (choice: number, text: string, held: number): StreamStep => {
      if (capability === 'post') return { release: text };
      const [release, rest, hits] = masked((pending.get(choice) ?? '') + text, word, replacement, held);
      found += hits;
      pending.set(choice, rest);
      return verdict === 'sanitize' || hits === 0 ? { release } : { release: '', stop: { code: 'word' } };
    };
    return {
      push: ({ choice, text }) => {
        whole.set(choice, (whole.get(choice) ?? '') + text);
        return step(choice, text, word.length - 1);
      },
      end: ({ choice }) => step(choice, '', 0),
      complete: (segments) => check(segments, ctx),
      finish: () => {
        const late = [...whole.values()].reduce((sum, text) => sum + occurrences(text, word).length, 0);
        return result(capability === 'post' ? late : found, []);
      },
    };
  }
}

function occurrences(text: string, word: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) found.push(at);
  return found;
}

/** Text to release, text to hold back, and the number of matches. */
function masked(text: string, word: string, replacement: string, held: number): [release: string, rest: string, hits: number] {
  const parts = text.split(word);
  const last = parts.pop() ?? '';
  const wanted = Math.max(0, last.length - held);
  // A release must not end between the halves of a surrogate pair.
  const keep = last.slice(0, wanted).isWellFormed() ? wanted : wanted - 1;
  const before = parts.map((part) => part + replacement).join('');
  return [before + last.slice(0, keep), last.slice(keep), parts.length];
}
