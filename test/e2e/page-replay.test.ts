import { afterEach, beforeAll, expect, it } from 'vitest';
import { replayPage } from '../../host/src/replay/page/replay-page.ts';
import { type ReplayReport, reportOf } from '../../host/src/replay/report.ts';
import { act, replayed } from '../../host/src/replay/test-replayed.ts';
import { Totals } from '../../host/src/replay/totals.ts';
import { describeInBrowser, overflows, violations } from '../harness/browser.ts';

const EVIL = '<img src="https://example.org/x.png" onerror="alert(1)">';
const LONG = 'a-session-with-a-name-that-is-much-longer-than-any-column-should-be';

/** Three weeks with every change, left-out runs, a failing guard and names that are hard to show. */
function busyReport(): ReplayReport {
  const totals = new Totals();
  const days = Array.from({ length: 21 }, (_, n) => `2026-11-${String(21 - n).padStart(2, '0')}`);
  for (const [n, day] of days.entries()) {
    for (let count = 0; count < 60; count += 1)
      totals.add(replayed({ day, asked: ['pii', 'payments'], session: `s${count % 9}` }));
    for (let count = 0; count < 5; count += 1)
      totals.add(
        replayed({ day, asked: ['pii', 'payments'], before: { masked: [act('pii')] }, after: { masked: [act('pii')] } }),
      );
    for (let count = 0; count < 2 + (n % 5); count += 1)
      totals.add(
        replayed({
          day,
          asked: ['payments'],
          before: { paused: [act('payments', 'wire')] },
          after: count % 2 === 0 ? { paused: [act('payments', 'wire')] } : {},
        }),
      );
    for (let count = 0; count < n % 4; count += 1)
      totals.add(replayed({ day, session: LONG, asked: ['payments'], after: { paused: [act('payments', 'large')] } }));
  }
  for (let count = 0; count < 60; count += 1)
    totals.add(replayed({ session: 's1', asked: ['names'], after: { blocked: act('names', 'codename') } }));
  totals.add(
    replayed({
      session: EVIL,
      route: EVIL,
      asked: ['names'],
      failed: ['names'],
      after: { blocked: act('names', 'SVC-NODE-001') },
    }),
  );
  for (let count = 0; count < 9; count += 1) totals.add(replayed({ asked: ['pii'], after: { masked: [act('pii')] } }));
  totals.add(replayed({ before: { blocked: act('gone') } }));
  for (let count = 0; count < 30; count += 1) totals.add(replayed({ left_out: 'not_kept' }));
  totals.add(replayed({ left_out: 'route_missing', route: 'support' }));
  const period = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z', route: null };
  return reportOf(totals, period, {
    file: 'next.yaml',
    digest: `sha256:${'a'.repeat(64)}`,
    not_asked: new Map([['judge', 'calls_service']]),
  });
}

let page: string;
let empty: string;
beforeAll(async () => {
  page = await replayPage(busyReport());
  const period = { from: null, to: '2026-11-22T00:00:00.000Z', route: 'default' };
  empty = await replayPage(reportOf(new Totals(), period, { file: 'next.yaml', digest: 'sha256:0', not_asked: new Map() }));
});

describeInBrowser('the page of svc replay', (browser) => {
  afterEach(async () => expect(await browser.complaints()).toEqual([]));

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('is readable, and asks for nothing: %s, %i px wide', async (colours, width) => {
    const view = await browser.page({ url: 'http://127.0.0.1:1' }, { colours, width });
    await view.setContent(page);
    expect([await violations(view), await overflows(view)]).toEqual([[], false]);
    const [first] = await view.getByRole('heading', { level: 2 }).allTextContents();
    expect(first).toContain('Not replayed: 31 of');
    await view.getByRole('img', { name: /Requests for approval by day from 2026-11-01 to 2026-11-21/ }).waitFor();
    const cells = await view.getByRole('row').filter({ hasText: 'newly blocked' }).first().getByRole('cell').allTextContents();
    expect(cells).toContain('61');
    expect(await view.getByRole('row').filter({ hasText: 'names (codename) in ingress' }).count()).toBe(20);
    expect(await view.locator('main img').count()).toBe(0);
    await view.getByText(EVIL.slice(-10)).first().waitFor();
  });

  it('says why there is nothing to show', async () => {
    const view = await browser.page({ url: 'http://127.0.0.1:1' });
    await view.setContent(empty);
    expect(await violations(view)).toEqual([]);
    await view.getByText('No run could be replayed').waitFor();
  });
});
