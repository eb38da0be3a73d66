import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig() });
});
afterAll(() => gateway.dispose());

describeInBrowser('the pages', (browser) => {
  it.each(['/approvals', '/showcase'])('%s shows its sign-in form, and opens by a link', async (path) => {
    const page = await browser.page(gateway);
    await page.goto(path);
    await page.getByLabel('API key').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${path}#key=${gateway.key('bob')}`);
    await page.locator('#principal').filter({ hasText: 'bob' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await browser.complaints()).toEqual([]);
  });

  it('an approver approves a request', async () => {
    const run_id = (await gateway.chat('a wire transfer')).body.svc_run_id;
    const page = await browser.open(gateway, '/approvals', 'bob');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('button', { name: 'Confirm approval' }).click();
    await page.getByText('You approved this request. It has completed').waitFor();
    expect((await gateway.get(`/v1/runs/${run_id}`)).body.status).toBe('completed');
    expect(await browser.complaints()).toEqual([]);
  });
});
