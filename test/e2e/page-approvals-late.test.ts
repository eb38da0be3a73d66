import { afterAll, beforeAll, it } from 'vitest';
import { button, cardOf, openPolling, poll } from '../harness/approvals-page.ts';
import { describeInBrowser } from '../harness/browser.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

/** Reads the list of runs. */
const audit = '**/v1/audit?*';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig() });
});
afterAll(() => gateway.dispose());

describeInBrowser('responses that reach /approvals late', (browser) => {
  it('shows the own decision even if its answer comes after the list was read twice without the run', async () => {
    await gateway.chat('wire transfer answered late');
    const page = await openPolling(browser, gateway, 'bob');
    const card = cardOf(page, 'answered late');
    await page.route('**/resume', async (route) => {
      const response = await route.fetch();
      for (const _ of [1, 2]) await Promise.all([page.waitForResponse(audit), poll(page)]);
      await route.fulfill({ response });
    });
    await button(card, 'Deny').click();
    await button(card, 'Confirm denial').click();
    await page.getByText('You denied this request').waitFor();
  });

  it('shows the own decision even if a list that is older than the decision comes after it', async () => {
    await gateway.chat('wire transfer listed late');
    const page = await openPolling(browser, gateway, 'bob');
    const card = cardOf(page, 'listed late');
    await button(card, 'Deny').click();
    const isDecided = Promise.withResolvers<void>();
    const isRead = Promise.withResolvers<void>();
    await page.route(audit, async (route) => {
      const response = await route.fetch();
      isRead.resolve();
      await isDecided.promise;
      await route.fulfill({ response });
    });
    await poll(page);
    await isRead.promise;
    await Promise.all([page.waitForResponse('**/resume'), button(card, 'Confirm denial').click()]);
    const listed = page.waitForResponse(audit);
    isDecided.resolve();
    await listed;
    await page.unroute(audit);
    await Promise.all([page.waitForResponse(audit), poll(page)]);
    await page.getByText('You denied this request').waitFor();
  });
});
