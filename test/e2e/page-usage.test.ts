import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { focused, pressAt, signInByKeyboard, tabTo } from '../harness/keyboard.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] } };
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      prices: { models: { 'echo-1': { input: 2, output: 10 } } },
      routes: { support: route, research: { ...route, model: 'echo-2' } },
    }),
    principals: [
      { principal_id: 'ada', roles: ['audit'] },
      { principal_id: 'alice', roles: ['call'], team: 'blue' },
      { principal_id: 'bob', roles: ['approve'] },
    ],
  });
  for (const text of ['one two three', 'four', 'forbidden']) await gateway.chat(text, { principal: 'alice', model: 'support' });
  await gateway.chat('five', { principal: 'alice', model: 'research' });
});
afterAll(() => gateway.dispose());

describeInBrowser('the page /usage', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('shows sums as charts and as a table, %s, %i px wide', async (colours, width) => {
    const page = await browser.open(gateway, '/usage', 'ada', { colours, width });
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'support' }) });
    await row.waitFor();
    const cells = await row.getByRole('cell').allTextContents();
    expect(cells.slice(3, 5)).toEqual(['3', '1']);
    expect(cells[0]).toMatch(/^\$0\.\d+$/);
    await page.getByText('One request is not included in the cost').waitFor();
    const { catalogue, version } = (await gateway.get('/v1/usage', 'ada')).body.prices;
    expect(version).toMatch(/^\d/);
    await page.getByText(`Prices: ${catalogue} ${version}.`, { exact: true }).waitFor();
    expect(await page.getByRole('img').count()).toBe(5);
    expect(await page.getByRole('img', { name: /^Requests: at most 4/ }).count()).toBe(1);
    await page.getByText('By day', { exact: true }).click();
    await page.getByRole('columnheader', { name: 'Day' }).waitFor();
    expect([await violations(page), await overflows(page)]).toEqual([[], false]);
  });

  it('can be grouped and opened by keyboard, and the address keeps the choice', async () => {
    const page = await browser.page(gateway);
    await signInByKeyboard(page, '/usage?period=24h&group_by=team', gateway, 'ada');
    await page.getByRole('rowheader', { name: 'blue' }).waitFor();
    await tabTo(page, 'Group by');
    await page.keyboard.type('Model');
    await page.getByRole('rowheader', { name: 'echo-1' }).waitFor();
    expect(await focused(page)).toBe('Group by');
    expect(await tabTo(page, 'Refresh')).toBe(1);
    await pressAt(page, 'By hour');
    await page.getByRole('columnheader', { name: 'Hour' }).waitFor();
    expect(new URL(page.url()).search).toBe('?period=24h&group_by=model');
    expect(await page.getByRole('rowheader', { name: 'no model' }).count()).toBe(1);
  });

  it('shows callers their own requests, and states which keys may not see any', async () => {
    const page = await browser.open(gateway, '/usage', 'alice');
    await page.getByText('the requests of alice').waitFor();
    const other = await browser.open(gateway, '/usage', 'bob');
    await other.getByRole('alert').filter({ hasText: 'bob cannot see usage' }).waitFor();
  });
});
