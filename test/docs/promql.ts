import { parser } from '@prometheus-io/lezer-promql';
import { expect } from 'vitest';
import { readPage } from './fences.ts';

/** Metric names that a query reads, each with the labels that it matches or groups by. */
export function readsOf(expr: string): Map<string, Set<string>> {
  // Grafana puts a duration in the place of this one.
  const text = expr.replaceAll('$__rate_interval', '5m');
  const at = (node: { from: number; to: number }) => text.slice(node.from, node.to);
  const reads = new Map<string, Set<string>>();
  parser.parse(text).iterate({
    enter: ({ type, node }) => {
      if (type.isError) throw new Error(`not PromQL at ${node.from}: ${text}`);
      if (type.name !== 'VectorSelector') return;
      const identifier = node.getChild('Identifier');
      if (identifier === null) throw new Error(`a selector without a name: ${text}`);
      const labels = new Set<string>();
      const names = (holder: typeof node | null, kind: string) =>
        holder?.getChildren(kind).map((child) => labels.add(at(child.getChild('LabelName') ?? child)));
      names(node.getChild('LabelMatchers'), 'UnquotedLabelMatcher');
      for (let outer = node.parent; outer !== null; outer = outer.parent) {
        if (outer.name === 'AggregateExpr')
          names(outer.getChild('AggregateModifier')?.getChild('GroupingLabels') ?? null, 'LabelName');
      }
      reads.set(at(identifier), labels);
    },
  });
  return reads;
}

/** The labels that the table in docs/monitoring.md gives a metric. */
export function documentedLabels(): Map<string, Set<string>> {
  const rows = [...readPage('docs/monitoring.md').matchAll(/^\| `(svc_\w+)` \| ([^|]*) \|/gm)];
  return new Map(rows.map(([, name = '', labels = '']) => [name, new Set(labels.match(/\w+/g))]));
}

/** What `/metrics` has: types by name, and the labels of each series by its name. */
export function exposed(text: string) {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const series = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    series.set(name, known);
  }
  return { types, series };
}

/** The metric that a name of a query belongs to: a histogram is read by its parts. */
export function metricOf(name: string, types: ReadonlyMap<string, string>): string | undefined {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  if (types.get(name) !== undefined && types.get(name) !== 'histogram') return name;
  return base !== name && types.get(base) === 'histogram' ? base : undefined;
}

/** What a gateway exposes, as {@link exposed} reads it. */
export type Exposed = ReturnType<typeof exposed>;

/**
 * Checks that a query reads only existing metrics and labels.
 * @returns the labels that it matches or groups by
 */
export function checkQuery(expr: string, metrics: Exposed): Set<string> {
  const reads = readsOf(expr);
  expect(reads.size).toBeGreaterThan(0);
  const read = new Set<string>();
  for (const [name, labels] of reads) {
    const metric = metricOf(name, metrics.types);
    expect(metric, `${name} is not in /metrics`).toBeDefined();
    // A metric that nothing has counted yet has no series that show its labels. Prometheus adds the label `instance`.
    const has = metrics.series.get(name) ?? new Set([...(documentedLabels().get(metric ?? '') ?? []), 'le']);
    expect([...labels].filter((label) => !has.has(label) && label !== 'instance')).toEqual([]);
    for (const label of labels) read.add(label);
  }
  return read;
}
