import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeInBrowser, look, overflows, violations } from '../harness/browser.ts';
import { TestGateway } from '../harness/gateway.ts';
import { ended, pane, play, scenario, starter, TITLES } from './showcase-scene.ts';

const PRINCIPALS = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'].map((principal_id) => ({ principal_id }));

/** What axe finds depends on the colours and on the layout, narrow or wide: it need not see each pair of them. */
const LOOKS = [
  [320, 'light', false],
  [320, 'dark', true],
  [1280, 'dark', false],
  [3840, 'light', true],
] as const;

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

describeInBrowser('the page /showcase', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it('shows a visitor of --demo the remaining questions, and when the quota renews', async () => {
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

    it('a wire transfer: waits, is approved in place, and the answer arrives', async () => {
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

    it('a wire transfer that another approver denies: shown as it happens', async () => {
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

    it('a stream: is shown, and cut before the blocked phrase', async () => {
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

    it("the visitor's own message, by keyboard, streamed on another route", async () => {
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

  describe('the page shows what a key may not do', () => {
    it.each([
      ['caller', 'it does not have the role audit'],
      ['auditor', 'does not have the role call'],
      ['bound', 'needs the whole ledger'],
    ])('%s: %s', async (principal, says) => {
      const page = await browser.open(gateway, '/showcase', principal);
      await page.getByText(says).waitFor();
      expect(await violations(page)).toEqual([]);
    });

    it('without the role call, no button that sends is enabled', async () => {
      const page = await browser.open(gateway, '/showcase', 'auditor');
      for (const part of [page.getByRole('button', { name: 'Send' }), scenario(page, 'attack'), page.locator('#message')])
        expect(await part.isDisabled()).toBe(true);
      await page.getByLabel('Route', { exact: true }).selectOption('answers');
      await page.locator('.stop', { hasText: 'codename' }).waitFor();
      expect(await page.getByText('does not have the role call').isVisible()).toBe(true);
    });

    it("the visitor's own run without self-approval: offers a sign-in, and continues once another person approved", async () => {
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

    it('a run that others decide: shows who they are, and that it waits', async () => {
      const page = await browser.open(gateway, '/showcase', 'caller');
      await play(page, 'wire transfer', 'paused');
      await page.getByText('You cannot decide this request').waitFor();
      expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    });
  });

  it('in any width and colours, nothing overflows, and axe finds nothing', async () => {
    const page = await browser.open(gateway, '/showcase', 'frank');
    for (const [title, status] of [
      ['card number', 'completed'],
      ['attack', 'blocked'],
      ['stream', 'blocked'],
      ['wire transfer', 'paused'],
    ] as const) {
      await play(page, title, status);
      for (const [width, colours] of LOOKS) {
        await look(page, { width, colours });
        expect(await overflows(page), `${title}, ${width} px`).toBe(false);
      }
    }
    await page.getByText('Approval required').waitFor();
    await page.locator('summary', { hasText: 'events' }).click();
    for (const [width, colours, isForAxe] of LOOKS) {
      await look(page, { width, colours });
      const found = isForAxe ? await violations(page) : [];
      expect([await overflows(page), found], `${width} px, ${colours}`).toEqual([false, []]);
    }
  });
});
