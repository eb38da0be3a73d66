import { resolve } from 'node:path';
import { allow, type Guard, type GuardDeps, type GuardResult, type HeavyWork, type Segment } from '@svc/sdk';
import { sourceOf } from '@svc/toolkit/segments';
import { findLabels, labelsOf } from './labels.ts';
import type { ModelSettings } from './model/load-model.ts';
import { runtimeUrl } from './model/runtime.ts';
import type { Options } from './options.ts';
import { type Reading, readings } from './readings.ts';
import { scoresOf } from './scores.ts';
import { tryModel } from './try-model.ts';

/** @throws {Error} with the remedy, if the runtime of the model is not installed */
export function makeGuard(options: Options, { directory }: Pick<GuardDeps, 'directory'>): Guard {
  const labels = labelsOf(options);
  const settings: ModelSettings = {
    folder: resolve(directory, options.model),
    sha256: options.sha256,
    labels: labels.map(({ name }) => name),
    max_tokens: options.max_tokens,
    runtime: runtimeUrl(directory),
  };
  const moduleUrl = workerUrl(settings);

  const check = async (texts: readonly Reading[], work: HeavyWork) => {
    const scores = await scoresOf(
      texts.flatMap(({ texts }) => texts),
      labels.length,
      moduleUrl,
      work,
    );
    return findLabels(texts, scores, labels);
  };

  return {
    stages: ['ingress', 'egress'],
    verdicts: [options.verdict],
    dependencies: [`model ${options.model} sha256:${options.sha256}`],
    start: () => tryModel(moduleUrl),
    async check(segments, ctx): Promise<GuardResult> {
      const isLooked = (segment: Segment): boolean => ctx.stage === 'egress' || options.roles.includes(sourceOf(segment));
      const found = await check(readings(segments, isLooked), ctx);
      const [strongest] = found.toSorted((a, b) => b.score - a.score);
      if (strongest === undefined) return allow('no-match');
      return { verdict: options.verdict, code: strongest.label.code, edits: [], findings: found.map(findingOf) };
    },
    async scan(text, work) {
      const found = await check(text.trim() === '' ? [] : [{ texts: [text], origins: [] }], work);
      const findings = found.map(({ label, score }) => ({ entity_type: label.code, start: 0, end: text.length, score }));
      return { findings, sanitized: text };
    },
  };
}

function findingOf({ label, ...rest }: ReturnType<typeof findLabels>[number]) {
  return { entity_type: label.code, ...rest };
}

/** A thread loads a module once for each URL, and loading does not count towards the timeout. So the settings are part of the URL. */
function workerUrl(settings: ModelSettings): string {
  const url = new URL(import.meta.resolve('#classify'));
  url.search = new URLSearchParams({ model: JSON.stringify(settings) }).toString();
  return url.href;
}
