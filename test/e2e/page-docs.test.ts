import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig(),
    principals: [{ principal_id: 'alice', roles: ['call'] }],
  });
});
afterAll(() => gateway.dispose());

// A request to another origin and a violation of the policy are complaints too.
describeInBrowser('the page /docs', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it('lists the subjects of the API, and offers openapi.json', async () => {
    const page = await browser.open(gateway, '/docs', 'alice');
    const tags: { name: string }[] = (await gateway.get('/v1/openapi.json', 'alice')).body.tags;
    await page.locator(`#operations-tag-${tags.at(-1)?.name}`).waitFor();
    expect(await page.locator('.opblock-tag').count()).toBe(tags.length);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'openapi.json' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('openapi.json');
    expect([await violations(page), await overflows(page)]).toEqual([[], false]);
  });

  it('sends what a visitor writes, with the key of the visitor, which it does not show, dark, 390 px wide', async () => {
    const page = await browser.open(gateway, '/docs', 'alice', { colours: 'dark', width: 390 });
    await page.locator('#operations-tag-runs').click();
    const operation = page.locator('#operations-runs-createRun');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    const body = { messages: [{ role: 'user', content: 'a text for /docs' }] };
    await operation.getByRole('textbox', { name: 'Request body' }).fill(JSON.stringify(body));
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table');
    await answer.locator('.response-col_status').filter({ hasText: '200' }).waitFor();
    expect(await answer.textContent()).toContain('"principal_id": "alice"');
    expect(await page.locator('#reference').innerHTML()).not.toContain(gateway.key('alice').slice(0, 20));
    expect([await violations(page), await overflows(page)]).toEqual([[], false]);
  });
});
