import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig(), principals: [{ principal_id: 'alice', roles: ['call'] }] });
});
afterAll(() => gateway.dispose());

/** Opens the operation of this summary, and sends what its form shows. @returns the part of the page about it */
async function tryOut(page: Page, tag: string, path: string) {
  await page.getByRole('button', { name: `Expand operation` }).first().waitFor();
  await page.locator(`#operations-tag-${tag}`).click();
  await page.locator('.opblock-summary-control').filter({ hasText: path }).first().click();
  const operation = page.locator('.opblock.is-open');
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table .response-col_status').filter({ hasText: '200' }).waitFor();
  return operation;
}

describeInBrowser('the page /docs', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('shows the API, and sends a request with the key of the visitor, %s, %i px wide', async (colours, width) => {
    const page = await browser.open(gateway, '/docs', 'alice', { colours, width });
    await page.locator(`#operations-tag-routes`).waitFor();
    await page.screenshot({ path: `/tmp/apidocs/docs-${colours}.png` });
    console.log(JSON.stringify(await violations(page), null, 1), await overflows(page));
    await page.locator(`#operations-tag-chat`).click();
    await page.locator('.opblock-summary-control').first().click();
    const operation = page.locator('.opblock.is-open');
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.locator('textarea').first().fill('{"model":"default","messages":[{"role":"user","content":"hello"}]}');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table .response-col_status').filter({ hasText: '200' }).waitFor();
    for (const [i, y] of [0, 850, 1700, 2550, 3400].entries()) { await page.evaluate(`scrollTo(0, ${y})`); await page.screenshot({ path: `/tmp/apidocs/docs-${colours}-${i}.png` }); }
    console.log(await page.locator('.responses-inner table.responses-table').nth(1).innerHTML().then(t=>t.slice(0,2500)));
    console.log(JSON.stringify(await violations(page), null, 1), await overflows(page));
  });
});
