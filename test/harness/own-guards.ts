import type { PluginDefinition } from '@svc/contracts';
import budget from '@svc/guard-budget';
import injection from '@svc/guard-injection';
import pii from '@svc/guard-pii';
import rag from '@svc/guard-rag';
import rules from '@svc/guard-rules';
import schema from '@svc/guard-schema';
import secrets from '@svc/guard-secrets';
import type { Guard, GuardContext, Segment, Stage } from '@svc/sdk';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { KNOWN_ENTITIES } from '../../plugins/guard-pii/src/entities.ts';
import { rulesOfAnOperator } from './stream-lag.ts';

/**
 * Every built-in guard that reads texts, with as many options on as possible. `webhook` would forward texts, and `residency` does not use them.
 */
export const OWN_GUARDS: Readonly<Record<string, readonly [guard: PluginDefinition<'guard'>, options: object]>> = {
  injection: [injection, { verdict: 'block', hidden: 'strip' }],
  pii: [pii, {}],
  'pii, all entities': [pii, { entities: KNOWN_ENTITIES }],
  secrets: [secrets, {}],
  rules: [rules, { rules: rulesOfAnOperator() }],
  schema: [schema, { schema: { type: 'object', properties: { name: { type: 'string', pattern: '^[A-Z][a-z]+$' } } } }],
  budget: [budget, { limits: [{ scope: 'principal', unit: 'tokens', amount: 1_000_000_000, period: 'day' }] }],
  rag: [rag, { namespace: 'docs' }],
};

export function makeOwnGuard(name: string): Guard {
  const [definition, written] = OWN_GUARDS[name] ?? [];
  if (definition === undefined) throw new Error(`no guard ${name}`);
  const options = Value.Parse(definition.options, Value.Default(definition.options, structuredClone(written)));
  // Returns a document as long as the question.
  const openNamespace = () => ({
    retrieve: async (text: string) => [{ document: { id: 'a', text, metadata: {} }, score: 1 }],
  });
  return definition.create(options, fakePluginDeps({ openNamespace }));
}

/** Runs the guards' worker tasks in this thread, so that their time is measured. */
export function contextHere(stage: Stage): GuardContext {
  return fakeGuardContext({ stage, runInWorker: async (url, task) => finished((await import(url)).default(task)) });
}

/** The final result of a task. A task that yields is resumed at once. */
function finished(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || !('next' in output) || typeof output.next !== 'function') return output;
  let step: { done?: boolean; value?: unknown };
  do step = output.next();
  while (step.done !== true);
  return step.value;
}

/** A text as a caller's message or as an answer. */
export function segmentOf(stage: Stage, text: string): Segment {
  const place =
    stage === 'ingress'
      ? ({ role: 'user', path: 'messages.0.content', choice: null, origin: 'user', untrusted: false } as const)
      : ({ role: 'assistant', path: 'choices.0.message.content', choice: 0, origin: 'assistant', untrusted: false } as const);
  return { index: 0, text, kind: 'text', ...place };
}
