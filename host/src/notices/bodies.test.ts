import { describe, expect, it } from 'vitest';
import { linkOf, mailText, slackBody, teamsBody, titleOf, webhookBody } from './bodies.ts';
import type { Notice, NoticeGroup } from './notice.ts';

const SINCE = Date.parse('2026-11-27T10:00:00.123Z');
const PUBLIC = 'https://svc.example.org';
const PAUSED: NoticeGroup = {
  event: 'paused',
  route: 'chat',
  name: 'policy',
  code: 'wire',
  amount: null,
  count: 1,
  run_ids: ['run-1'],
  since: SINCE,
};
const BUDGET: NoticeGroup = {
  ...PAUSED,
  event: 'budget_low',
  route: null,
  name: 'spend/principal-usd-day/al',
  code: null,
  amount: 83,
  run_ids: [],
};
/** The texts that people see, and links. */
function textsOf(body: object): string {
  const texts: string[] = [];
  JSON.stringify(body, (key, value: unknown) => {
    if (typeof value === 'string' && ['text', 'url'].includes(key)) texts.push(value);
    return value;
  });
  return texts.join('\n');
}
const notice = (...groups: NoticeGroup[]): Notice => ({ id: 'm', at: SINCE, groups });

it('an e-mail says what happened, and has one link', () => {
  expect(mailText(notice({ ...PAUSED, count: 3 }, BUDGET), PUBLIC)).toBe(
    [
      'svc: 3 requests were paused for approval, 1 budget ran low',
      '3 × paused, guard policy, code wire, route chat, since 2026-11-27T10:00:00Z',
      '1 × budget_low, budget spend/principal-usd-day/al, 83% used, at 2026-11-27T10:00:00Z',
      '',
      'https://svc.example.org/approvals',
      '',
    ].join('\n'),
  );
});

describe('the link', () => {
  it.each<[string, NoticeGroup[], string]>([
    ['one run', [PAUSED], '/approvals#run=run-1'],
    ['several', [{ ...PAUSED, count: 2 }], '/approvals'],
    ['a budget', [BUDGET], '/usage'],
    ['an exporter', [{ ...BUDGET, event: 'exporter_lagging' }], '/admin'],
    ['a failed call of a run', [{ ...PAUSED, event: 'guard_failed' }], '/admin'],
    ['all of them', [BUDGET, { ...PAUSED, event: 'guard_failed' }, PAUSED], '/approvals'],
  ])('for %s', (_, groups, path) => {
    expect(linkOf(notice(...groups), PUBLIC)).toBe(PUBLIC + path);
  });
});

it('names cannot write markup', () => {
  const odd = notice({ ...PAUSED, name: '<!channel> [a](https://b) *c*\n# d', code: 'x'.repeat(500) });
  for (const body of [slackBody(odd, PUBLIC), teamsBody(odd, PUBLIC)]) {
    const text = JSON.stringify(body);
    expect(text).not.toMatch(/<!|\]\(|\*c|# d|x{129}/);
    expect(text.match(/https:\/\/svc/g)).toHaveLength(1);
  }
});

describe.each([
  'https://evil.example/x',
  'HTTP://evil.example',
  'evil.example',
  'www.evil.example/login',
  'mailto:al@evil.example',
  'al@evil.example',
  'slack://open?team=1',
  'tel:+4930123456',
  '\\\\evil.example\\x',
  '<https://evil.example|Open>',
  '[Open](https://evil.example)',
  '[.]: https://evil.example',
  'spend/principal-usd-day/https://evil.example/x',
])('a name such as %s', (hostile) => {
  const odd = notice(
    { ...PAUSED, name: hostile, code: hostile, route: hostile },
    { ...BUDGET, name: hostile },
    { ...BUDGET, event: 'exporter_lagging', name: hostile },
  );
  it.each([
    ['Slack', () => textsOf(slackBody(odd, PUBLIC))],
    ['Teams', () => textsOf(teamsBody(odd, PUBLIC))],
    ['an e-mail', () => mailText(odd, PUBLIC)],
  ])('is no link in %s', (_, textOf) => {
    const text = textOf();
    expect(text.match(/\w+:[/\\]+[\w.]+/g)).toEqual(['https://svc.example.org']);
    // Neither an address without a scheme.
    expect(text.replaceAll('https://svc.example.org', '')).not.toMatch(/\w\.[a-z]|\w@\w|mailto:|tel:|\]\(|\\/i);
  });

  it('is sent to a webhook as it is', () => {
    expect(webhookBody(odd, PUBLIC)).toMatchObject({ data: { url: `${PUBLIC}/approvals`, groups: [{ name: hostile }, {}, {}] } });
  });
});

it('an address in a name stays readable', () => {
  const [, line] = mailText(notice({ ...BUDGET, name: 'spend/principal-usd-day/al@example.org' }), PUBLIC).split('\n');
  expect(line).toContain('budget spend/principal-usd-day/al[@]example[.]org, 83% used');
});

it('messages are bounded, whatever the number of groups', () => {
  const many = notice(
    ...Array.from({ length: 100 }, (_, at) => ({ ...PAUSED, name: `${at}${'n'.repeat(200)}`, code: 'c'.repeat(200) })),
  );
  const { blocks } = slackBody(many, PUBLIC) as { blocks: { text: { text: string } }[] };
  for (const { text } of blocks) expect(text.text.length).toBeLessThanOrEqual(3_000);
  expect(mailText(many, PUBLIC)).toContain('and 90 more');
  expect(titleOf(many)).toBe('svc: 100 requests were paused for approval');
  expect(webhookBody(many, PUBLIC)).toMatchObject({ data: { count: 100 } });
});
