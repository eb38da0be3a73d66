import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { beforeAll, describe } from 'vitest';
import type { TestGateway } from './gateway.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const INSTALL = 'install Chromium, for example: apt-get install chromium';

/** The installed browser. `SVC_CHROMIUM` names another one. Null if there is none. */
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
 * Hidden pages of the browser's own address bar. Chromium loads them for each visitor, at the expense of the page under test. Chromium reads only
 * the last list of features, so this list replaces Playwright's, and all other features work as for real visitors.
 */
const DISABLED_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** Properties of a visitor's window. */
export interface Window {
  readonly width?: number;
  readonly height?: number;
  readonly colours?: 'light' | 'dark';
  /** Whether animations run. Most tests need not wait for them. */
  readonly moves?: boolean;
  /** Whether the test can advance the page's clock (`page.clock`) to trigger periodic work. */
  readonly clock?: boolean;
  /** Other origins that a visitor may be sent to. */
  readonly elsewhere?: readonly string[];
}

/** The browser of this worker. Its test files share it, because a start takes a second. Playwright ends it with the process. */
let launched: Promise<Browser> | undefined;

function browserOfWorker(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(`these tests need a browser: ${INSTALL}`);
  const args = ['--no-sandbox', '--disable-gpu', `--disable-features=${DISABLED_FEATURES}`];
  launched ??= chromium.launch({ executablePath, args });
  return launched;
}

/** A browser whose visitors share nothing. Anything that a page must never do fails the test that opened it. */
export class TestBrowser {
  #browser: Browser | undefined;
  readonly #contexts: BrowserContext[] = [];
  readonly #complaints: string[] = [];

  async start(): Promise<void> {
    this.#browser = await browserOfWorker();
  }

  /** Opens a window for a new visitor. No page is loaded yet. */
  async page(
    gateway: Pick<TestGateway, 'url'>,
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
      // Browsers themselves report every response with status 400 or above.
      if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) this.#complaints.push(line.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      // The gateway is not responsible for requests by other origins' pages.
      const isOfOther = (): boolean => elsewhere.some((other) => request.frame().url().startsWith(`${other}/`));
      if (isOutside(url) && !isOfOther()) this.#complaints.push(`asked ${url}`);
    });
    await page.route(
      ({ href }) => isOutside(href),
      (route) => route.abort(),
    );
    return page;
  }

  /** Opens a page for a principal who signs in by a link. */
  async open(gateway: TestGateway, path: string, principal: string, window: Window = {}): Promise<Page> {
    const page = await this.page(gateway, window);
    await page.goto(`${path}#key=${gateway.key(principal)}`);
    await page.locator('#app').waitFor();
    return page;
  }

  /** Closes all windows. Returns page errors, violations of the content security policy, and requests to other origins since the last call. */
  async complaints(): Promise<string[]> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
    return this.#complaints.splice(0);
  }
}

/** Shows the page in another width and with other colours. */
export async function look(page: Page, { width, colours }: Required<Pick<Window, 'width' | 'colours'>>): Promise<void> {
  await page.emulateMedia({ colorScheme: colours });
  await page.setViewportSize({ width, height: page.viewportSize()?.height ?? 900 });
}

/** Violations of WCAG 2 and good practice in the current page, and where they are. */
export async function violations(page: Page): Promise<string[]> {
  // Half a megabyte, which the page keeps until it loads again.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe.source);
  // Applies every rule, but describes and locates only violations.
  const found: { violations: { id: string; nodes: { html: string }[] }[] } = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'], selectors: false })",
  );
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** Whether anything is wider than the window. */
export function overflows(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/**
 * Runs tests in a browser. Without a browser they are skipped with a message on stderr that names the remedy; if `CI` is set, they fail.
 * @param tests receives a browser that is started before they run
 */
export function describeInBrowser(title: string, tests: (browser: TestBrowser) => void): void {
  const skipped = findChromium() === null && process.env.CI !== 'true';
  if (skipped) console.warn(`${title}: skipped because no browser is installed; ${INSTALL}`);
  describe.skipIf(skipped)(title, () => {
    const browser = new TestBrowser();
    beforeAll(() => browser.start());
    tests(browser);
  });
}
