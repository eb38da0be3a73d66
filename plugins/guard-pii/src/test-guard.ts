import type { Guard, GuardResult, JsonObject, Segment } from '@svc/sdk';
import { fakeGuardContext, fakePluginDeps, fakeSegments } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import pii from './index.ts';

/** Creates a guard from options in the form of a configuration, for tests. */
export function guardOf(written: object = {}): Guard {
  const options = Value.Parse(pii.options, Value.Default(pii.options, structuredClone(written)));
  return pii.create(options, fakePluginDeps());
}

/** Texts by the role of their message. */
export function requestSegments(texts: readonly (readonly [role: string | null, text: string])[]): Segment[] {
  const segments = fakeSegments(
    'ingress',
    texts.map(([, text]) => text),
  );
  return segments.map((segment, at) => ({ ...segment, role: texts[at]?.[0] ?? null }));
}

/** Runs the check and returns the texts with its edits. */
export async function checked(
  guard: Guard,
  stage: 'ingress' | 'egress',
  segments: readonly Segment[],
  state: JsonObject,
): Promise<GuardResult & { readonly texts: readonly string[] }> {
  const result = await guard.check(segments, fakeGuardContext({ stage, state }));
  return { ...result, texts: segments.map((segment) => editedText(segment, result)) };
}

function editedText({ index, text }: Segment, { edits }: GuardResult): string {
  return edits
    .filter(({ segment }) => segment === index)
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, { start, end, replacement }) => done.slice(0, start) + replacement + done.slice(end), text);
}
