import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readPage } from './fences.ts';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const dashboard: {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { definition?: string }[] };
} = JSON.parse(readPage('docs/grafana/svc.json'));

const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

/** Metrics that no panel shows, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  svc_bytes_refused_total: 'the panel of bytes in flight shows how close the gateway is to its limit',
  svc_exporter_through_seq: 'the lag shows how far an exporter is behind',
  svc_log_lines_lost_total: '0 as long as something reads the log; described in docs/monitoring.md',
  svc_model_unpriced: '`svc lint` and the log name these models at startup; described in docs/monitoring.md',
  svc_notices_total: 'only for gateways that send notices; described in docs/monitoring.md',
  svc_oidc_issuer_failures_total: 'only for gateways with OIDC issuers; described in docs/monitoring.md',
  svc_rag_duration_seconds: 'only for gateways with retrieval; described in docs/monitoring.md',
  svc_route_next_review_timestamp_seconds: 'a date that changes a few times a year; `svc report` and `svc lint` show it',
  svc_secret_refreshes_total: 'only with a backend of secrets',
  svc_stored_runs: 'a total that says little over time; paused runs have their own metric',
  svc_team_spend_usd_total: 'only for gateways with teams and prices; `GET /v1/usage` reports the same',
  svc_team_tokens_total: 'only for gateways with teams; `GET /v1/usage` reports the same',
  svc_timestamp_failures_total: 'only for gateways with time stamps; described in docs/monitoring.md',
  svc_timestamp_lag_records: 'only for gateways with time stamps; described in docs/monitoring.md',
  svc_timestamp_time_seconds: 'only for gateways with time stamps; described in docs/monitoring.md',
  svc_upstream_circuit_open: 'the outcomes of attempts include `skipped`, for endpoints whose circuit is open',
  svc_witness_failures_total: 'only for gateways with witnesses; described in docs/monitoring.md',
  svc_witness_lag_records: 'only for gateways with witnesses; described in docs/monitoring.md',
};

/** Metric names that a query reads, each with the labels that it matches or groups by. */
function readsOf(expr: string): Map<string, Set<string>> {
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
function documentedLabels(): Map<string, Set<string>> {
  const rows = [...readPage('docs/monitoring.md').matchAll(/^\| `(svc_\w+)` \| ([^|]*) \|/gm)];
  return new Map(rows.map(([, name = '', labels = '']) => [name, new Set(labels.match(/\w+/g))]));
}

/** What `/metrics` has: types by name, and the labels of each series by its name. */
function exposed(text: string) {
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
function metricOf(name: string, types: ReadonlyMap<string, string>): string | undefined {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  if (types.get(name) !== undefined && types.get(name) !== 'histogram') return name;
  return base !== name && types.get(base) === 'histogram' ? base : undefined;
}

let upstream: Upstream;
let gateway: TestGateway;
let metrics: ReturnType<typeof exposed>;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: { first: { type: 'openai', base_url: upstream.url, timeout_ms: 5000 } },
      routes: { chained: { provider: 'first', model: 'big', fallbacks: [{ provider: 'local', model: 'echo-1' }] } },
    }),
  });
  upstream.respond(failure(503));
  expect((await gateway.chat('hello', { model: 'chained' })).status).toBe(200);
  expect((await gateway.chat('hello', { model: 'chained', stream: true })).status).toBe(200);
  expect((await gateway.chat('a forbidden thing')).body.choices[0].finish_reason).toBe('content_filter');
  expect((await gateway.chat('a wire transfer')).body.choices[0].finish_reason).toBe('content_filter');
  metrics = exposed((await gateway.get('/metrics', null)).text);
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

describe('every query of the dashboard', () => {
  it.each(queries)('$title: $expr', ({ expr, legendFormat }) => {
    const reads = readsOf(expr);
    expect(reads.size).toBeGreaterThan(0);
    const grouped = new Set<string>();
    for (const [name, labels] of reads) {
      const metric = metricOf(name, metrics.types);
      expect(metric, `${name} is not in /metrics`).toBeDefined();
      // A metric that nothing has counted yet has no series to tell its labels.
      const has = metrics.series.get(name) ?? new Set([...(documentedLabels().get(metric ?? '') ?? []), 'le']);
      expect([...labels].filter((label) => !has.has(label))).toEqual([]);
      for (const label of labels) grouped.add(label);
    }
    expect(
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label).filter((label) => !grouped.has(label ?? '')),
    ).toEqual([]);
  });

  it('the queries of its variables', () => {
    const definitions = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);
    expect(definitions.length).toBeGreaterThan(0);
    for (const definition of definitions) {
      const [, name = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? [];
      expect(metrics.series.get(name)).toContain(label);
    }
  });
});

it('no two metrics belong to the same OpenMetrics family, where suffixes name the samples', () => {
  const suffixes: Readonly<Record<string, readonly string[]>> = {
    counter: ['_total', '_created'],
    histogram: ['_bucket', '_count', '_sum', '_created'],
    summary: ['', '_count', '_sum', '_created'],
    gauge: [''],
  };
  const families = [...metrics.types].map(([name, type]) => ({
    name: type === 'counter' ? name.replace(/_total$/, '') : name,
    type,
  }));
  const names = families.flatMap(({ name, type }) => [
    ...new Set([name, ...(suffixes[type] ?? []).map((suffix) => `${name}${suffix}`)]),
  ]);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('every metric of the gateway is in the dashboard, or left out for a stated reason', () => {
  const shown = new Set(queries.flatMap(({ expr }) => [...readsOf(expr).keys()].map((name) => metricOf(name, metrics.types))));
  const ours = [...metrics.types.keys()].filter((name) => name.startsWith('svc_'));
  expect(ours.length).toBeGreaterThan(10);
  expect(ours.filter((name) => !shown.has(name)).sort()).toEqual(Object.keys(LEFT_OUT));
});

it('every metric has exactly the labels that the manual lists', () => {
  const documented = documentedLabels();
  const labelled = [...metrics.types].flatMap(([name, type]) => {
    const labels = metrics.series.get(type === 'histogram' ? `${name}_count` : name);
    return name.startsWith('svc_') && labels !== undefined ? [[name, [...labels].sort()]] : [];
  });
  expect(labelled.length).toBeGreaterThan(10);
  for (const [name, labels] of labelled) expect([name, [...(documented.get(`${name}`) ?? [])].sort()]).toEqual([name, labels]);
});

it('an invalid PromQL query is refused, and a valid one is read completely', () => {
  expect(() => readsOf('sum by (route (rate(x[5m]))')).toThrow();
  expect(readsOf('sum by (a) (rate(x_bucket{b=~"$b"}[$__rate_interval])) / y')).toEqual(
    new Map([
      ['x_bucket', new Set(['a', 'b'])],
      ['y', new Set()],
    ]),
  );
});
