import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

const LONG = 'a-route-with-a-name-that-is-much-longer-than-a-column';
/** Points of a page of A4, without its margins. */
const PAPER = { width: 720, height: 1040 };

let gateway: TestGateway;
let report: string;
beforeAll(async () => {
  const pipeline = { ingress: ['mask', 'policy'], egress: [] };
  const reviewed = { owner: 'claims team', risk_rating: 'high', review_interval_days: 30, last_review: '2026-01-01' };
  const limitations = ['Answers only in English, and knows nothing that happened after its training.'];
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({ routes: { [LONG]: { provider: 'local', model: 'echo-1', pipeline, limitations, ...reviewed } } }),
  });
  await gateway.chat('pay ACC-12', { model: LONG });
  const { svc_run_id } = (await gateway.chat('a wire transfer', { model: LONG })).body;
  await gateway.post(`/v1/runs/${svc_run_id}/resume`, { decision: 'approved' }, 'bob');
  const args = [MAIN, 'report', '--server', gateway.url, '--from', '2026-01-01', '--format', 'html'];
  const env = { ...process.env, SVC_KEY: gateway.key('alice') };
  report = (await promisify(execFile)(process.execPath, args, { env })).stdout;
});
afterAll(() => gateway.dispose());

describeInBrowser('the page of svc report', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('is readable, and asks for nothing: %s, %i px wide', async (colours, width) => {
    const view = await browser.page({ url: 'http://127.0.0.1:1' }, { colours, width });
    await view.setContent(report);
    expect([await violations(view), await overflows(view)]).toEqual([[], false]);
    const row = view.getByRole('region', { name: 'Reviews' }).getByRole('row').filter({ hasText: LONG });
    await row.getByText('overdue since 2026-01-31').waitFor();
    expect(await view.evaluate("getComputedStyle(document.querySelector('.tiles > div')).borderTopStyle")).toBe('solid');
  });

  it('is printed without cutting a table', async () => {
    const view = await browser.page({ url: 'http://127.0.0.1:1' }, PAPER);
    await view.emulateMedia({ media: 'print' });
    await view.setContent(report);
    const cut: boolean[] = await view.evaluate(
      "[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth > one.clientWidth)",
    );
    expect([cut.length, cut.includes(true), await overflows(view)]).toEqual([5, false, false]);
  });
});
