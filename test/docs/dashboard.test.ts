import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { failure, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { readPage } from './fences.ts';
import { checkQuery, documentedLabels, type Exposed, exposed, metricOf, readsOf } from './promql.ts';

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
  svc_exporter_through_seq: 'the lag shows how far an exporter is behind',
  svc_log_lines_lost_total: '0 as long as something reads the log; described in docs/monitoring.md',
  svc_rag_duration_seconds: 'only for gateways with retrieval; described in docs/monitoring.md',
  svc_secret_refreshes_total: 'only with a backend of secrets',
  svc_stored_runs: 'a total that says little over time; paused runs have their own metric',
  svc_team_tokens_total: 'the panel of spend by team says more; `GET /v1/usage` reports tokens',
};

let upstream: Upstream;
let gateway: TestGateway;
let metrics: Exposed;
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
    const labels = checkQuery(expr, metrics);
    expect(
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label).filter((label) => !labels.has(label ?? '')),
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

describe('every alert', () => {
  const rules: { alert: string; expr: string; annotations: Record<string, string> }[] = parse(
    readPage('deploy/prometheus/alerts.yaml'),
  ).groups.flatMap(({ rules: all }: { rules: object[] }) => all);

  it.each(rules)('$alert', ({ expr, annotations }) => {
    const labels = checkQuery(expr, metrics);
    for (const text of Object.values(annotations))
      for (const [, label = ''] of text.matchAll(/\$labels\.(\w+)/g)) expect([...labels, 'instance']).toContain(label);
    expect(annotations.summary).toBeDefined();
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
