import type { Page } from 'playwright-core';
import type { TestGateway } from './gateway.ts';

/** The name of what has the focus: its label, or its text. */
export function focused(page: Page): Promise<string> {
  return page.evaluate('(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()');
}

/** Presses Tab, or another key, until something with this name has the focus. @returns the number of presses */
export async function tabTo(page: Page, name: string, key = 'Tab'): Promise<number> {
  for (let press = 1; press <= 300; press += 1) {
    await page.keyboard.press(key);
    if ((await focused(page)) === name) return press;
  }
  throw new Error(`no ${name} within 300 presses`);
}

/** Presses Tab until this control has the focus, and then Enter. */
export async function pressAt(page: Page, name: string, key = 'Tab'): Promise<void> {
  await tabTo(page, name, key);
  await page.keyboard.press('Enter');
}

/** Opens a page for a visitor who types a key into the sign-in form. */
export async function signInByKeyboard(page: Page, path: string, gateway: TestGateway, principal: string): Promise<void> {
  await page.goto(path);
  await page.getByLabel('API key').waitFor();
  await page.keyboard.type(gateway.key(principal));
  await page.keyboard.press('Enter');
  await page.locator('#app').waitFor();
}
