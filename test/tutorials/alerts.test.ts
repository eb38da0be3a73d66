import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../docs/fences.ts';
import { failure, startUpstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { promtool, skipsPromtool } from '../harness/promtool.ts';

const RULES = join(ROOT, 'deploy', 'prometheus');
const skipped = skipsPromtool('alerts');

/** The series of `/metrics` as promtool's input: for four hours, with counters at 0 until six minutes before the end. */
function seriesOf(text: string): { series: string; values: string }[] {
  const isCounter = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type !== 'gauge']));
  return [...text.matchAll(/^(svc_[a-z_]+)(\{.*\})? (\S+)$/gm)].map(([, name = '', labels = '', value = '']) => {
    const counts = isCounter.get(name) ?? true;
    return { series: `${name}${labels}`, values: counts ? `0x467 ${value}x12` : `${value}x480` };
  });
}

/** The alerts that fire after four hours of these metrics. */
function firing(metrics: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-alerts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  copyFileSync(join(RULES, 'alerts.yaml'), join(folder, 'alerts.yaml'));
  // An expression that is wrong on purpose: the failed test prints what it found.
  const promql_expr_test = [
    { expr: 'count by (alertname) (ALERTS{alertstate="firing"}) or vector(0)', eval_time: '4h', exp_samples: [] },
  ];
  const tests = [{ interval: '30s', input_series: seriesOf(metrics), promql_expr_test }];
  writeFileSync(join(folder, 'test.yaml'), JSON.stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '30s', tests }));
  const { status, output } = promtool(folder, 'test', 'rules', 'test.yaml');
  expect([status, output]).toEqual([1, expect.stringContaining('got:')]);
  return [...output.matchAll(/alertname="(\w+)"/g)].map(([, name = '']) => name).sort();
}

describe.skipIf(skipped)(`alert rules${skipped ? ': need promtool' : ''}`, () => {
  it('are valid and pass their unit tests', () => {
    expect(promtool(RULES, 'check', 'rules', 'alerts.yaml')).toMatchObject({ status: 0 });
    const { status, output } = promtool(RULES, 'test', 'rules', 'alerts.test.yaml');
    expect(status, output).toBe(0);
  });

  it('do not fire for a gateway without trouble', async () => {
    const gateway = await TestGateway.start({ here: true, config: echoConfig() });
    onTestFinished(() => gateway.dispose());
    expect((await gateway.chat('hello')).status).toBe(200);
    expect(firing((await gateway.get('/metrics', null)).text)).toEqual([]);
  });

  it('fire for a gateway in trouble', async () => {
    const upstream = await startUpstream();
    onTestFinished(() => upstream.close());
    upstream.respond(failure(401));
    const limited = { scope: 'global', unit: 'requests', amount: 10, period: 'month' };
    const echoed = (ingress: string[], egress: string[] = []) => ({
      provider: 'local',
      model: 'echo-1',
      pipeline: { ingress, egress },
    });
    const gateway = await TestGateway.start({
      here: true,
      packages: ['fails'],
      config: echoConfig({
        providers: { away: { type: 'openai', base_url: upstream.url, timeout_ms: 5000 } },
        prices: { catalogue: false, models: { 'echo-1': { input: 1, output: 1 } } },
        exporters: [{ type: 'jsonl', path: 'missing/ledger.jsonl' }],
        packs: {
          spend: { type: 'budget', limits: [limited] },
          lenient: { type: 'fails', how: 'throws', on_error: 'allow' },
          strict: { type: 'fails', how: 'throws' },
        },
        routes: {
          chained: { provider: 'away', model: 'big', fallbacks: [{ provider: 'local', model: 'echo-1' }] },
          limited: echoed(['spend'], ['spend']),
          lenient: echoed(['lenient']),
          strict: echoed(['strict']),
        },
      }),
    });
    onTestFinished(() => gateway.dispose());
    await gateway.chat('a wire transfer');
    for (const model of ['chained', 'lenient', 'strict']) await gateway.chat('hello', { model });
    for (let i = 0; i < 9; i++) await gateway.chat('hello', { model: 'limited' });
    await gateway.logged('export_failed');
    expect(firing((await gateway.get('/metrics', null)).text)).toEqual([
      'SvcApprovalsWaiting',
      'SvcBudgetNearlyUsed',
      'SvcCircuitOpen',
      'SvcExporterFailing',
      'SvcGuardFailing',
      'SvcModelUnpriced',
      'SvcTextsUnchecked',
    ]);
  });
});
