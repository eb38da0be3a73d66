import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import type { TestGateway } from './gateway.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const INSTALL = 'install Chromium, for example: apt-get install chromium';

/** The machine's own browser; `SVC_CHROMIUM` names another. Null where there is none. */
function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = [
    ...(process.env.SVC_CHROMIUM === undefined ? [] : [process.env.SVC_CHROMIUM]),
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  return places.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Pages of the browser's own window, which nobody sees: it loads them into its address bar for each visitor, at the cost of the page that
 * is tested. Chromium reads only the last list of features, so what Playwright would disable is as visitors have it.
 */
const DISABLED_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** What a visitor's window is like. */
export interface Window {
  readonly width?: number;
  readonly height?: number;
  readonly colours?: 'light' | 'dark';
  /** Whether things move; most tests need not wait for that. */
  readonly moves?: boolean;
  /** Whether the test can move the page's clock ahead (`page.clock`), to what the page does at intervals. */
  readonly clock?: boolean;
  /** Origins beside the gateway's that a visitor may be sent to. */
  readonly elsewhere?: readonly string[];
}

/** A browser whose visitors are strangers to each other. What a page must never do is a failure of the test that opened it. */
export class TestBrowser {
  #browser: Browser | undefined;
  readonly #contexts: BrowserContext[] = [];
  readonly #complaints: string[] = [];

  async start(): Promise<void> {
    const executablePath = findChromium();
    if (executablePath === null) throw new Error(`these tests need a browser: ${INSTALL}`);
    this.#browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', `--disable-features=${DISABLED_FEATURES}`],
    });
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
  }

  /** A new visitor's page; nothing is loaded yet. */
  async page(
    gateway: TestGateway,
    { width = 1280, height = 900, colours = 'light', moves = false, clock = false, elsewhere = [] }: Window = {},
  ): Promise<Page> {
    if (this.#browser === undefined) throw new Error('the browser is not started');
    const origin = gateway.url;
    const context = await this.#browser.newContext({
      baseURL: origin,
      viewport: { width, height },
      colorScheme: colours,
      reducedMotion: moves ? 'no-preference' : 'reduce',
    });
    this.#contexts.push(context);
    const isOutside = (url: string): boolean =>
      !url.startsWith('data:') && ![origin, ...elsewhere].some((allowed) => url.startsWith(`${allowed}/`));
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    if (clock) await page.clock.install();
    page.on('pageerror', (error) => this.#complaints.push(`error on the page: ${error.stack}`));
    page.on('console', (line) => {
      // A browser reports every answer of 400 and above by itself.
      if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) this.#complaints.push(line.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      // What pages of others ask for is not the gateway's doing.
      const isOfOther = (): boolean => elsewhere.some((other) => request.frame().url().startsWith(`${other}/`));
      if (isOutside(url) && !isOfOther()) this.#complaints.push(`asked ${url}`);
    });
    await page.route(
      ({ href }) => isOutside(href),
      (route) => route.abort(),
    );
    return page;
  }

  /** A page of somebody who is signed in by a link. */
  async open(gateway: TestGateway, path: string, principal: string, window: Window = {}): Promise<Page> {
    const page = await this.page(gateway, window);
    await page.goto(`${path}#key=${gateway.key(principal)}`);
    await page.locator('#app').waitFor();
    return page;
  }

  /** Closes the visitors' windows. Errors on a page, what its policy refused, and requests to anywhere else, since the last call. */
  async complaints(): Promise<string[]> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
    return this.#complaints.splice(0);
  }
}

/** Rules of WCAG 2 and good practice that the page breaks as it stands, and where. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  // Every rule is tried; what is found right is not described, nor where it is.
  const found: { violations: { id: string; nodes: { html: string }[] }[] } = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'], selectors: false })",
  );
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Whether something is wider than the window. */
export function overflows(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/**
 * Tests in a browser. Without one they are skipped, which is said on stderr with the remedy; where `CI` is set they fail instead.
 * @param tests given a browser that is there when they run
 */
export function describeInBrowser(title: string, tests: (browser: TestBrowser) => void): void {
  const skipped = findChromium() === null && process.env.CI !== 'true';
  if (skipped) console.warn(`${title}: skipped, since there is no browser; ${INSTALL}`);
  describe.skipIf(skipped)(title, () => {
    const browser = new TestBrowser();
    beforeAll(() => browser.start());
    afterAll(() => browser.stop());
    tests(browser);
  });
}
