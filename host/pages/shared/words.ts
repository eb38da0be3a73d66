/** How something went, for its colour; the words beside it say the same. */
type Tone = 'plain' | 'good' | 'changed' | 'waits' | 'bad';

export interface Label {
  readonly text: string;
  readonly tone: Tone;
}

const VERDICTS: Readonly<Record<string, Label>> = {
  allow: { text: 'allowed', tone: 'good' },
  sanitize: { text: 'sanitized', tone: 'changed' },
  require_approval: { text: 'needs approval', tone: 'waits' },
  block: { text: 'blocked', tone: 'bad' },
};

const STATUSES: Readonly<Record<string, Tone>> = {
  completed: 'good',
  paused: 'waits',
  pending: 'waits',
  running: 'plain',
  blocked: 'bad',
  denied: 'bad',
  error: 'bad',
};

const STAGES: Readonly<Record<string, string>> = {
  ingress: 'before the model',
  execute: 'at the model',
  egress: 'after the model',
  approval: 'in review',
};

export function verdictLabel(verdict: string): Label {
  return VERDICTS[verdict] ?? { text: verdict, tone: 'plain' };
}

export function statusLabel(status: string): Label {
  return { text: status, tone: STATUSES[status] ?? 'plain' };
}

export function stageText(stage: string): string {
  return STAGES[stage] ?? stage;
}
