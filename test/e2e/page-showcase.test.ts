import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';
import { echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'host', 'dist', 'main.js');
const TITLES = ['card number', 'wire transfer', 'attack', 'budget', 'phone number', 'stream'];
const PRINCIPALS = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'].map((principal_id) => ({ principal_id }));

/** What `svc init` writes, for other keys. `self_approval`: false as it writes it; true for visitors who decide in place. */
async function starter(self_approval: boolean): Promise<GatewayConfig> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-starter-'));
  const config = join(folder, 'svc.yaml');
  spawnSync(process.execPath, [MAIN, 'init', '--config', config]);
  const text = await readFile(config, 'utf8');
  await rm(folder, { recursive: true });
  const written = self_approval ? text.replaceAll('self_approval: false', 'self_approval: true') : text;
  const { auth: _, server: __, ...rest } = parse(written);
  return rest;
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: await starter(true),
    principals: [
      ...PRINCIPALS,
      { principal_id: 'caller', roles: ['call'] },
      { principal_id: 'auditor', roles: ['audit'] },
      { principal_id: 'bound', routes: ['default'] },
    ],
  });
});
afterAll(() => gateway.dispose());

const scenario = (page: Page, title: string): Locator => page.getByRole('button', { name: title });
const pane = (page: Page, title: string): Locator =>
  page.locator('.pane').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const ended = (page: Page, status: string): Promise<void> => page.getByText(`Run status: ${status}.`).waitFor();

async function play(page: Page, title: string, status: string): Promise<void> {
  await scenario(page, title).click();
  await ended(page, status);
}

describeInBrowser('the page /showcase', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it('tells a visitor of --demo how many questions are left, and when there are more', async () => {
    const demo = await TestGateway.start({ here: true, config: await starter(false), args: ['--demo'] });
    onTestFinished(() => demo.dispose());
    const use = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n += 1) expect((await demo.chat('hello')).status).toBe(200);
    };
    await use(28);
    const page = await browser.open(demo, '/showcase', 'alice');
    await play(page, 'card number', 'completed');
    await page.getByText(/^1 of 30 messages left, resets in \d+ s$/).waitFor();
    await use(1);
    await scenario(page, 'attack').click();
    await page.getByText(/try again in \d+ s/).waitFor();
    await page.getByText(/^0 of 30 messages left/).waitFor();
  });

  describe('on the gateway that svc init configures', () => {
    it('offers every scenario', async () => {
      const page = await browser.open(gateway, '/showcase', 'alice');
      for (const title of TITLES) await scenario(page, title).waitFor();
      expect(await page.getByText('Not configured').count()).toBe(0);
    });

    it('a card number in the question: the message walks through the route, and the model never gets it', async () => {
      const page = await browser.open(gateway, '/showcase', 'alice', { moves: true });
      await scenario(page, 'card number').click();
      await page.locator('.stop.reached').first().waitFor();
      expect(await page.locator('.stop.ahead').count()).toBeGreaterThan(0);
      await ended(page, 'completed');
      expect(await pane(page, 'Your message').innerText()).toContain('4111 1111 1111 1111');
      const received = await pane(page, 'Sent to the model').innerText();
      expect(received).toContain('<CREDIT_CARD_1>');
      expect(received).not.toContain('4111');
      expect(await pane(page, 'Returned to you').innerText()).toContain('echo: ');
      expect(await page.locator('.stop', { hasText: 'pii' }).first().innerText()).toMatch(/masked.*\d ms.*CREDIT_CARD/s);
      expect(await page.locator('.stop.ahead').count()).toBe(0);
    });

    it('a wire transfer: waits, is approved in place, and the answer comes', async () => {
      const page = await browser.open(gateway, '/showcase', 'bob');
      await play(page, 'wire transfer', 'paused');
      expect(await pane(page, 'Sent to the model').innerText()).toContain('Nothing yet');
      expect(await page.locator('.stop.ahead').count()).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await page.getByRole('button', { name: 'Confirm approval' }).click();
      await ended(page, 'completed');
      expect(await pane(page, 'Sent to the model').innerText()).toContain('wire transfer of 25,000 euros');
      expect(await pane(page, 'Returned to you').innerText()).toContain('echo: ');
      await page.locator('.stop', { hasText: 'policy' }).filter({ hasText: 'approved' }).waitFor();
    });

    it('a wire transfer that somebody else denies: shown as it happens', async () => {
      const page = await browser.open(gateway, '/showcase', 'carol', { clock: true });
      await play(page, 'wire transfer', 'paused');
      const run_id = (await gateway.get('/v1/audit?status=paused&principal=carol&limit=1')).body.runs[0].run_id;
      await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'denied' }, 'bob');
      // To where the page next reads the run.
      await page.clock.fastForward(2000);
      await ended(page, 'denied');
      expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
      expect(await pane(page, 'Sent to the model').innerText()).toContain('Nothing');
    });

    it('an attack: blocked before the model', async () => {
      const page = await browser.open(gateway, '/showcase', 'alice');
      await play(page, 'attack', 'blocked');
      expect(await pane(page, 'Sent to the model').innerText()).toContain('blocked before the model');
      expect(await page.locator('.stop.bad').innerText()).toMatch(/injection.*blocked.*override/s);
    });

    it('a budget runs out', async () => {
      const page = await browser.open(gateway, '/showcase', 'dave');
      await scenario(page, 'budget').click();
      // A minute may end on the way; then it takes longer, and is said.
      await page.getByText(/accepted(, the next one rejected|: the budget is larger)/).waitFor();
      expect(await page.locator('.rounds rect').count()).toBeGreaterThan(3);
    });

    it('a phone number in the answer: the model says it, the caller does not get it', async () => {
      const page = await browser.open(gateway, '/showcase', 'alice');
      await play(page, 'phone number', 'completed');
      expect(await pane(page, 'Sent to the model').innerText()).toContain('+34 612 345 678');
      const got = await pane(page, 'Returned to you').innerText();
      expect(got).toContain('<PHONE_NUMBER_1>');
      expect(got).not.toContain('612');
    });

    it('a stream: comes, and is cut before what must not leave', async () => {
      const page = await browser.open(gateway, '/showcase', 'alice');
      await scenario(page, 'stream').click();
      await page.getByText('Receiving the answer').waitFor();
      await ended(page, 'blocked');
      const got = await pane(page, 'Returned to you').innerText();
      expect(got).toContain('echo: The board');
      expect(got).toContain('Cut off here');
      expect(got).not.toMatch(/aurora/i);
      expect(await pane(page, 'Sent to the model').innerText()).toContain('Project Aurora');
    });

    it('a message of one’s own, by keyboard, streamed on another route', async () => {
      const page = await browser.open(gateway, '/showcase', 'alice');
      await page.getByLabel('Route', { exact: true }).selectOption('answers');
      await page.getByLabel('Stream the answer').check();
      const message = page.getByLabel('Or write your own message');
      await message.fill('Say <b>hello</b>.');
      await message.press('Control+Enter');
      await ended(page, 'completed');
      expect(await pane(page, 'Returned to you').innerText()).toContain('echo: Say <b>hello</b>.');
      expect(await page.locator('.pane b').count()).toBe(0);
    });

    it('works by keyboard alone, from the sign-in to the decision', async () => {
      const page = await browser.page(gateway);
      await page.goto('/showcase');
      await page.getByLabel('API key').waitFor();
      await page.keyboard.type(gateway.key('erin'));
      await page.keyboard.press('Enter');
      await scenario(page, 'wire transfer').waitFor();
      const tabTo = async (text: string): Promise<void> => {
        for (let press = 0; press < 60; press++) {
          await page.keyboard.press('Tab');
          if (String(await page.evaluate('document.activeElement.textContent')).includes(text)) return;
        }
        throw new Error(`${text} cannot be reached`);
      };
      await tabTo('wire transfer');
      await page.keyboard.press('Enter');
      await page.getByText('Approval required').waitFor();
      await tabTo('Deny');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      await ended(page, 'denied');
    });
  });

  describe('the ledger', () => {
    it('grows with every run, also with those of others', async () => {
      const page = await browser.open(gateway, '/showcase', 'alice', { clock: true });
      const size = async () => Number((await page.locator('#ledger-size').innerText()).replace(/\D/g, ''));
      await page.locator('.block').first().waitFor();
      const before = await size();
      await play(page, 'attack', 'blocked');
      await page.locator('.block.fresh', { hasText: 'blocked' }).waitFor();
      expect(await size()).toBeGreaterThan(before);
      const { headers } = await gateway.chat('hello', { principal: 'bob' });
      // To where the page next reads the ledger.
      await page.clock.fastForward(5000);
      const [seq] = (headers.get('x-svc-evidence') ?? '').split(' ');
      await page.locator('.block', { hasText: `#${seq}` }).waitFor();
    });

    it('is checked in the browser, down to the signed root', async () => {
      const page = await browser.open(gateway, '/showcase', 'alice');
      await page.getByRole('button', { name: 'Verify the chain' }).click();
      await page.getByText('each with a correct hash').waitFor();
      expect(await page.locator('.proofs > li.good').count()).toBe(3);
      expect(await violations(page)).toEqual([]);
    });

    it('with one byte changed, the proof breaks there; covering it up moves the break on, and in the end the signed root tells', async () => {
      for (const word of ['one', 'two', 'three']) await gateway.chat(word);
      const before = await gateway.ledger();
      const page = await browser.open(gateway, '/showcase', 'alice');
      await page.getByRole('button', { name: 'Tamper with a copy' }).click();
      const changed = Number(
        /record (\d+)/.exec(await page.getByRole('heading', { name: /^A copy of record/ }).innerText())?.[1],
      );
      const said = page.locator('#forgery .notice');
      const broken = page.locator('#forgery .block.broken');
      await said.filter({ hasText: `fails at record ${changed}: its content hashes to` }).waitFor();
      expect(await broken.innerText()).toContain(`#${changed}`);
      await page.getByRole('button', { name: 'Next: recompute this hash' }).click();
      await said.filter({ hasText: `fails at record ${changed + 1}: it links to` }).waitFor();
      expect(await broken.innerText()).toContain(`#${changed + 1}`);
      await page.getByRole('button', { name: 'Next: recompute all later hashes' }).click();
      await said.filter({ hasText: 'the forgery is still detectable' }).waitFor();
      expect(await broken.count()).toBe(0);
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Discard the copy' }).click();
      // A game with a copy: the gateway's own records are what they were.
      expect((await gateway.ledger()).slice(0, before.length)).toEqual(before);
    });

    it('says where the gateway’s own chain breaks, should it serve one that does', async () => {
      const page = await browser.open(gateway, '/showcase', 'alice');
      await page.locator('.block').first().waitFor();
      await page.route('**/v1/audit/ledger?since_seq=0&*', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replace('"model_id":"answers"', '"model_id":"answer5"') });
      });
      await page.getByRole('button', { name: 'Verify the chain' }).click();
      await page.getByText('ledger is broken at record 2 (wrong_hash)').waitFor();
    });
  });

  describe('what a key may not do is said', () => {
    it.each([
      ['caller', 'it does not have the role audit'],
      ['auditor', 'does not have the role call'],
      ['bound', 'needs the whole ledger'],
    ])('%s: %s', async (principal, says) => {
      const page = await browser.open(gateway, '/showcase', principal);
      await page.getByText(says).waitFor();
      expect(await violations(page)).toEqual([]);
    });

    it('without the role call nothing that sends can be pressed', async () => {
      const page = await browser.open(gateway, '/showcase', 'auditor');
      for (const part of [page.getByRole('button', { name: 'Send' }), scenario(page, 'attack'), page.locator('#message')])
        expect(await part.isDisabled()).toBe(true);
      await page.getByLabel('Route', { exact: true }).selectOption('answers');
      await page.locator('.stop', { hasText: 'codename' }).waitFor();
      expect(await page.getByText('does not have the role call').isVisible()).toBe(true);
    });

    it('a run of one’s own where nobody approves their own: leads to a sign-in, and goes on once another approved', async () => {
      const principals = [{ principal_id: 'admin' }, { principal_id: 'approver', roles: ['approve', 'audit'] }];
      const written = await TestGateway.start({ here: true, config: await starter(false), principals });
      onTestFinished(() => written.dispose());
      const page = await browser.open(written, '/showcase', 'admin');
      await play(page, 'wire transfer', 'paused');
      const desk = page.locator('#desk');
      const opened = page.context().waitForEvent('page');
      await desk.getByRole('link').click();
      expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
      const other = await opened;
      await other.getByLabel('API key').fill(written.key('approver'));
      await other.keyboard.press('Enter');
      await other.getByRole('button', { name: 'Approve', exact: true }).click();
      await other.getByRole('button', { name: 'Confirm approval' }).click();
      await ended(page, 'completed');
      expect(await pane(page, 'Returned to you').innerText()).toContain('echo: ');
    });

    it('a run that others decide: who they are, and that it waits', async () => {
      const page = await browser.open(gateway, '/showcase', 'caller');
      await play(page, 'wire transfer', 'paused');
      await page.getByText('You cannot decide this request').waitFor();
      expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    });
  });

  describe('on another server', () => {
    it('draws its own routes, and says how to get the scenarios that it lacks; so they can be had', async () => {
      const config = echoConfig({
        packs: { 'my-guard': { type: 'rules', rules: [{ name: 'x', words: ['x'], verdict: 'block' }] } },
      });
      const routes = {
        special: {
          provider: 'local',
          model: 'echo-9',
          owner: 'treasury',
          risk_rating: 'high',
          pipeline: { ingress: ['my-guard'], egress: [] },
        },
      };
      const bare = await TestGateway.start({ here: true, config: { ...config, routes } });
      try {
        const page = await browser.open(bare, '/showcase', 'alice');
        expect(await page.locator('.stop').allInnerTexts()).toEqual([
          expect.stringContaining('my-guard'),
          expect.stringContaining('echo-9'),
        ]);
        expect(await page.locator('#route-facts').innerText()).toMatch(/treasury.*high risk/s);
        expect(await page.getByText('Not configured', { exact: true }).count()).toBe(TITLES.length);
        for (const summary of await page.locator('.missing > summary').all()) await summary.click();
        const column = await page.locator('.choose').boundingBox();
        for (const part of await page.locator('.missing').all())
          expect((await part.boundingBox())?.width).toBeLessThanOrEqual(column?.width ?? 0);
        expect(await violations(page)).toEqual([]);
        for (const [index, part] of (await page.locator('.missing pre').allInnerTexts()).entries()) {
          await bare.stop();
          const { auth = {} } = await readConfig(bare);
          await bare.configure(merged({ ...echoConfig(), auth }, parse(part)));
          await bare.launch();
          const after = await browser.open(bare, '/showcase', 'alice');
          await scenario(after, TITLES[index] ?? '').waitFor();
        }
      } finally {
        await bare.dispose();
      }
    }, 120_000);

    it('needs no key where the gateway asks for none', async () => {
      const open = await TestGateway.start({ here: true, config: echoConfig(), args: ['--no-auth'] });
      try {
        const page = await browser.page(open);
        await page.goto('/showcase');
        await page.locator('#principal').filter({ hasText: 'anonymous' }).waitFor();
        await page.getByLabel('Or write your own message').fill('Hello.');
        await page.getByRole('button', { name: 'Send' }).click();
        await ended(page, 'completed');
      } finally {
        await open.dispose();
      }
    });

    it('tells of an upstream that fails', async () => {
      const away = { type: 'openai', base_url: 'http://127.0.0.1:9/v1', api_key: 'secret://env/AWAY#value' };
      const config = echoConfig({
        providers: { away },
        routes: { default: { provider: 'away', model: 'm', pipeline: { ingress: ['mask'], egress: [] } } },
      });
      const broken = await TestGateway.start({ here: true, config, env: { AWAY: 'k' } });
      try {
        const page = await browser.open(broken, '/showcase', 'alice');
        await page.getByLabel('Or write your own message').fill('Is anybody there?');
        await page.getByRole('button', { name: 'Send' }).click();
        await page.getByText('SVC-PROV-001').first().waitFor();
        await page.locator('.stop.execute.bad').waitFor();
        expect(await violations(page)).toEqual([]);
      } finally {
        await broken.dispose();
      }
    });
  });

  it.each([
    [320, 'light'],
    [320, 'dark'],
    [1280, 'dark'],
    [3840, 'light'],
  ] as const)('%i pixels wide, %s: nothing sticks out, and axe finds nothing', async (width, colours) => {
    const page = await browser.open(gateway, '/showcase', 'frank', { width, height: 900, colours });
    for (const [title, status] of [
      ['card number', 'completed'],
      ['attack', 'blocked'],
      ['stream', 'blocked'],
      ['wire transfer', 'paused'],
    ] as const) {
      await play(page, title, status);
      expect(await overflows(page), title).toBe(false);
    }
    await page.getByText('Approval required').waitFor();
    await page.locator('summary', { hasText: 'events' }).click();
    expect(await overflows(page)).toBe(false);
    expect(await violations(page)).toEqual([]);
  });
});

async function readConfig(of: TestGateway): Promise<JsonObject> {
  return JSON.parse(await readFile(join(of.folder, 'svc.yaml'), 'utf8'));
}

function merged(base: unknown, part: unknown): JsonObject {
  const both = { ...(base as JsonObject) };
  for (const [key, value] of Object.entries(part as JsonObject)) {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && key in both;
    both[key] = isMap ? merged(both[key], value) : value;
  }
  return both;
}
