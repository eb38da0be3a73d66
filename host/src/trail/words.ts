/** The outcome, shown as a colour; the text beside it says the same. */
export type Tone = 'plain' | 'good' | 'changed' | 'waits' | 'bad';

export interface Label {
  readonly text: string;
  readonly tone: Tone;
}

const VERDICTS: Readonly<Record<string, Label>> = {
  allow: { text: 'allowed', tone: 'good' },
  sanitize: { text: 'masked', tone: 'changed' },
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
  execute: 'model call',
  egress: 'after the model',
  approval: 'approval',
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
