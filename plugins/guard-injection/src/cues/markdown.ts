import type { Cue } from './cue.ts';

/** An image whose address the model fills in. Loading the image sends that text to the address. */
export const markdown: readonly Cue[] = [
  {
    signal: 'exfiltration',
    score: 0.8,
    pattern: /!\[[^\]\n]{0,80}\]\(https?:[^)\s]{1,200}(?:[{[<]|%7b)[^)\n]{0,200}\)?/u,
  },
  {
    signal: 'exfiltration',
    score: 0.8,
    pattern:
      /!\[[^\]\n]{0,80}\]\(https?:[^)\s?=]{1,200}[?=][^)\s]{0,240}(?:conversation|history|secret|data|chat|email|message|prompt)[^)\n]{0,200}\)/u,
  },
];
