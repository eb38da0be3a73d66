import { isObject, type JsonObject } from '@svc/contracts';

/** The guard that decided about a run, with its verdict and reason. */
export interface Ruling {
  readonly guard: string;
  readonly verdict: 'sanitize' | 'require_approval' | 'block';
  readonly code: string;
}

/** Facts about a run from its events. Events of other releases may lack fields, so each one is checked. */
export interface RunFacts {
  /** The strictest enforced verdict, the last one of these. Null if every guard allowed the run. */
  readonly ruling: Ruling | null;
  /** Findings of all guards, including guards that only observe, summed by type. */
  readonly findings: ReadonlyMap<string, number>;
  /** The last call of a model. */
  readonly model: { readonly provider: string; readonly name: string; readonly region: string | null } | null;
  /** Tokens of all calls. Null if no call reported any. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
  /** Code of the error or of the stop that ended the run. */
  readonly failure: string | null;
}

const STRICTNESS: Readonly<Record<Ruling['verdict'], number>> = { sanitize: 1, require_approval: 2, block: 3 };

export function runFacts(events: readonly unknown[]): RunFacts {
  const read = events.flatMap(readEvent);
  const of = (...types: readonly string[]) => read.filter(({ type }) => types.includes(type));
  const findings = new Map<string, number>();
  for (const { data } of of('verdict', 'observed')) addFindings(findings, data.findings);
  const calls = of('provider_call').filter(({ data }) => data.outcome !== 'skipped');
  const call = calls.at(-1);
  const end = of('error', 'stopped', 'interrupted', 'disconnected').at(-1);
  return {
    ruling: of('verdict').reduce<Ruling | null>((former, { node, data }) => stricter(former, node, data), null),
    findings,
    model: call === undefined ? null : modelOf(call),
    tokens: tokensOf(calls),
    failure: end === undefined ? null : (textOf(end.data.code) ?? end.type),
  };
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

interface ReadEvent {
  readonly type: string;
  readonly node: string;
  readonly data: JsonObject;
}

function readEvent(event: unknown): ReadEvent[] {
  if (!isObject(event) || !isObject(event.data)) return [];
  return [{ type: String(event.event_type), node: textOf(event.node) ?? '', data: event.data }];
}

function modelOf({ node, data }: ReadEvent): RunFacts['model'] {
  return { provider: textOf(data.provider) ?? node, name: textOf(data.model) ?? 'unknown', region: textOf(data.region) };
}

function tokensOf(calls: readonly ReadEvent[]): RunFacts['tokens'] {
  const usages = calls.map(({ data }) => (isObject(data.usage) ? data.usage : {}));
  const sum = (name: string) => usages.reduce((total, usage) => total + countOf(usage[name]), 0);
  const tokens = { input: sum('input_tokens'), output: sum('output_tokens') };
  return tokens.input + tokens.output > 0 ? tokens : null;
}

function addFindings(sums: Map<string, number>, findings: unknown): void {
  for (const finding of Array.isArray(findings) ? findings : []) {
    const type = isObject(finding) ? textOf(finding.entity_type) : null;
    if (type !== null) sums.set(type, (sums.get(type) ?? 0) + countOf(finding.count));
  }
}

function stricter(former: Ruling | null, guard: string, { verdict, code }: JsonObject): Ruling | null {
  if (verdict !== 'sanitize' && verdict !== 'require_approval' && verdict !== 'block') return former;
  if (former !== null && STRICTNESS[former.verdict] > STRICTNESS[verdict]) return former;
  return { guard, verdict, code: textOf(code) ?? '' };
}
