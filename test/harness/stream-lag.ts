import { finished, type PluginDefinition } from '@svc/contracts';
import pii from '@svc/guard-pii';
import rules from '@svc/guard-rules';
import secrets from '@svc/guard-secrets';
import type { Guard, GuardStream, StreamStep } from '@svc/sdk';
import { fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { editedTexts } from '../../kernel/runtime/src/texts/edits.ts';

type Definition = PluginDefinition<'guard'>;
type Configured = readonly (readonly [Definition, object])[];

/** Typical sets of guards, applied one after another. */
export const GUARD_SETS = {
  rules: [[rules, { rules: rulesOfAnOperator() }]],
  secrets: [[secrets, {}]],
  'pii without names': [[pii, { exclude: ['PERSON'] }]],
  pii: [[pii, {}]],
  'rules, secrets, pii': [
    [rules, { rules: rulesOfAnOperator() }],
    [secrets, {}],
    [pii, {}],
  ],
} as const satisfies Record<string, Configured>;
export type GuardSet = keyof typeof GUARD_SETS;

export function rulesOfAnOperator(): object[] {
  return [
    { name: 'account', match: String.raw`\b\d{4}-\d{4}-\d{4}\b`, verdict: 'sanitize' },
    { name: 'phoenix', match: String.raw`(?i)project\s{1,8}phoenix`, verdict: 'block' },
    { name: 'ticket', match: String.raw`\b[A-Z]{2,5}-\d+\b`, max_match: 64, verdict: 'sanitize' },
    { name: 'wire', words: ['wire transfer', 'SWIFT'], verdict: 'block' },
    { name: 'too-long', max_characters: 20_000, verdict: 'block' },
  ];
}

/** For each token, how many later tokens had arrived when its end was sent. The last tokens count as if the answer had one more token. */
export interface Lags {
  readonly first: number;
  readonly each: readonly number[];
}

/** Passes an answer's tokens to guards one by one. */
export async function lagsOf(guards: GuardSet, tokens: readonly string[]): Promise<Lags> {
  let length = 0;
  const releases = await streamed(GUARD_SETS[guards], tokens);
  const left = releases.map((release) => (length += release.length));
  const places = sources(releases.join(''), tokens.join(''));
  let end = 0;
  const each = tokens.map((token, at) => {
    end += token.length;
    return left.findIndex((out, step) => step >= at && (places[out] ?? 0) >= end) - at;
  });
  return { first: left.findIndex((out) => out > 0), each };
}

/** The text released with each piece, and at the end. */
export async function streamed(guards: Configured, pieces: readonly string[]): Promise<string[]> {
  const streams = guards.map(([guard, written]) => opened(guard, written));
  const releases: string[] = [];
  for (const text of pieces) releases.push(await pushed(streams, text));
  releases.push(await ended(streams));
  return releases;
}

/** The text after all guards. */
export async function masked(guards: Configured, text: string): Promise<string> {
  let carried = text;
  for (const [guard, written] of guards) {
    const segment = {
      index: 0,
      text: carried,
      kind: 'text',
      role: 'assistant',
      path: 'choices.0.message.content',
      choice: 0,
      origin: 'assistant',
      untrusted: false,
    } as const;
    const { edits } = await created(guard, written).check([segment], fakeGuardContext({ stage: 'egress' }));
    carried = finished(editedTexts(edits, [segment]))?.get(segment.index) ?? carried;
  }
  return carried;
}

export function created(definition: Definition, written: object): Guard {
  const options = Value.Parse(definition.options, Value.Default(definition.options, written));
  return definition.create(options, fakePluginDeps());
}

function opened(definition: Definition, written: object): GuardStream {
  const stream = created(definition, written).stream?.open(fakeGuardContext({ stage: 'egress' }));
  if (stream === undefined) throw new Error(`${definition.type} does not stream`);
  return stream;
}

export const CHANNEL = { choice: 0, path: 'content' };

async function pushed(streams: readonly GuardStream[], text: string): Promise<string> {
  let carried = text;
  for (const stream of streams) if (carried !== '') carried = released(await stream.push({ ...CHANNEL, text: carried }));
  return carried;
}

async function ended(streams: readonly GuardStream[]): Promise<string> {
  let carried = '';
  for (const stream of streams) {
    const first = carried === '' ? '' : released(await stream.push({ ...CHANNEL, text: carried }));
    carried = first + released(await stream.end(CHANNEL));
  }
  return carried;
}

export function released({ release, stop }: StreamStep): string {
  if (stop !== undefined) throw new Error(`stopped: ${stop.code}`);
  return release;
}

/** For each length of the masked text, how much of the original text it covers. Masked parts are placeholders. */
function sources(masked: string, text: string): number[] {
  const places: number[] = [];
  let at = 0;
  let from = 0;
  for (const literal of masked.split(/<[A-Z_]+(?:_\d+)?>/)) {
    const start = text.indexOf(literal, at);
    if (start < 0) throw new Error('the text sent does not match the text received');
    for (let offset = 0; offset <= literal.length; offset++) places[from + offset] = start + offset;
    at = start + literal.length;
    from += literal.length;
    const [placeholder = ''] = /^<[A-Z_]+(?:_\d+)?>/.exec(masked.slice(from)) ?? [];
    for (let offset = 1; offset < placeholder.length; offset++) places[from + offset] = at;
    from += placeholder.length;
  }
  places[masked.length] = text.length;
  return places;
}
