import { SOURCES } from '@svc/toolkit/segments';
import { type Static, Type } from 'typebox';
import { SIGNALS } from './cues/signals.ts';

const factorOf = (signal: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: `Factor for the score of the signal \`${signal}\`.` }));

export const Options = Type.Object(
  {
    verdict: Type.Enum(['block', 'require_approval'], {
      default: 'block',
      description: 'What happens when the score of a text reaches `threshold`.',
    }),
    sensitivity: Type.Enum(['low', 'medium', 'high'], {
      default: 'medium',
      description:
        'How sensitive the guard is. A higher sensitivity finds more injections, but also flags more harmless texts; the README lists the rates.',
    }),
    threshold: Type.Optional(
      Type.Number({
        minimum: 0.05,
        maximum: 1,
        description:
          'The score from which a text counts as an injection, between 0 and 1. Overrides the threshold of `sensitivity`. A lower value finds more, with more false positives.',
      }),
    ),
    untrusted_threshold: Type.Optional(
      Type.Number({
        minimum: 0.05,
        maximum: 1,
        description:
          'As `threshold`, for texts that the route marks as untrusted, such as results of tools. If it is higher than the threshold for other texts, the lower one applies.',
      }),
    ),
    roles: Type.Array(Type.Enum([...SOURCES]), {
      minItems: 1,
      uniqueItems: true,
      default: ['user', 'tool', 'tool_calls', 'request'],
      description:
        'The texts to check. `tool`: results of tools; `tool_calls`: names and arguments of tool calls; `assistant`: earlier answers; `system`: system and developer messages; `request`: texts outside messages, such as descriptions of tools.',
    }),
    hidden: Type.Enum(['judge', 'strip'], {
      default: 'judge',
      description:
        'What to do with invisible characters that hide text. `judge`: they count towards the score. `strip`: they are removed and do not count; the text is checked with and without them.',
    }),
    weights: Type.Optional(
      Type.Object(Object.fromEntries(SIGNALS.map((signal) => [signal, factorOf(signal)])), {
        additionalProperties: false,
        description: 'A factor for the score of a signal; 0 turns it off. Default: 1.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;

/** Scores from which texts count as injections. */
export interface Thresholds {
  readonly trusted: number;
  readonly untrusted: number;
}

const THRESHOLDS: Readonly<Record<Options['sensitivity'], Thresholds>> = {
  low: { trusted: 0.65, untrusted: 0.55 },
  medium: { trusted: 0.5, untrusted: 0.45 },
  high: { trusted: 0.3, untrusted: 0.3 },
};

/** The thresholds of the sensitivity, or those that are set. Untrusted texts are never judged less strictly. */
export function thresholdsOf({ sensitivity, threshold, untrusted_threshold }: Options): Thresholds {
  const usual = THRESHOLDS[sensitivity];
  const trusted = threshold ?? usual.trusted;
  return { trusted, untrusted: Math.min(trusted, untrusted_threshold ?? usual.untrusted) };
}
