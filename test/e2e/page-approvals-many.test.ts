import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const WAITING = 500;
const BATCH = 50;

let gateway: TestGateway;
let run_ids: string[];
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({ approvals: { max_paused_per_principal: 2 * WAITING } }),
    principals: [{ principal_id: 'alice' }, { principal_id: 'bob', roles: ['approve'] }],
  });
  run_ids = [];
  for (let at = 0; at < WAITING; at += BATCH) {
    const sent = Array.from({ length: BATCH }, (_, index) => gateway.chat(`wire transfer ${at + index}`));
    run_ids.push(...(await Promise.all(sent)).map(({ body }) => body.svc_run_id));
  }
});
afterAll(() => gateway.dispose());

describeInBrowser('500 requests at /approvals', (browser) => {
  it('shows the number and the oldest ones, finds any, and decides it', async () => {
    const page = await browser.open(gateway, '/approvals', 'bob');
    await page.getByText(`${WAITING} requests are waiting, oldest first.`).waitFor();
    const cards = page.getByRole('article');
    const shown = await cards.count();
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThan(BATCH);
    const last = run_ids.at(-1) as string;
    await page.getByLabel('Search').fill(last);
    const card = cards.filter({ hasText: last });
    await card.getByRole('button', { name: 'Deny', exact: true }).click();
    await card.getByRole('button', { name: 'Confirm denial', exact: true }).click();
    await page.getByText('You denied this request').waitFor();
    expect((await gateway.get(`/v1/runs/${last}`)).body.status).toBe('denied');
    expect([await overflows(page), await violations(page)]).toEqual([false, []]);
    expect(await browser.complaints()).toEqual([]);
  });
});
