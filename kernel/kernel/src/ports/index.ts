export type { AnswerTransport, AttemptEnd } from '../runs/attempt.ts';
export type { EarlierDecision, PausePolicy, RunPolicy } from '../runs/run-policy.ts';
export type { Continued, Conversation, History, Link, OpenedPause, PausePoint, RunKey, RunVault } from '../runs/run-vault.ts';
export type { Admit, AskedTexts, Payload, Seen, Texts } from '../runs/texts.ts';
