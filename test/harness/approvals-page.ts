import type { Locator, Page } from 'playwright-core';
import type { TestBrowser } from './browser.ts';
import type { TestGateway } from './gateway.ts';

/** How often the page reads the list without a stream of events. */
const POLL_MS = 2000;

export const cardOf = (page: Page, text: string): Locator => page.getByRole('article').filter({ hasText: text });
export const button = (card: Locator, name: string): Locator => card.getByRole('button', { name, exact: true });

/** The page /approvals, which gets no events, so that it polls. Its clock is the test's: see `poll`. */
export async function openPolling(browser: TestBrowser, gateway: TestGateway, principal: string): Promise<Page> {
  const page = await browser.page(gateway, { clock: true });
  await page.route('**/v1/runs/events', (route) => route.abort());
  await page.goto(`/approvals#key=${gateway.key(principal)}`);
  await page.locator('#app').waitFor();
  return page;
}

/** The page reads the list now rather than in two seconds. */
export const poll = (page: Page): Promise<void> => page.clock.fastForward(POLL_MS);
