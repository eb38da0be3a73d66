import type { NoticeEvent } from '../config/index.ts';
import { countOf, type Notice, type NoticeGroup } from './notice.ts';

/** What happened. Whether it still holds when the message is sent is not known. */
const TITLES: Readonly<Record<NoticeEvent, readonly [one: string, more: string]>> = {
  paused: ['request was paused for approval', 'requests were paused for approval'],
  escalated: ['request was escalated to further approvers', 'requests were escalated to further approvers'],
  decision: ['request was decided', 'requests were decided'],
  expired: ['request expired without a decision', 'requests expired without a decision'],
  budget_low: ['budget ran low', 'budgets ran low'],
  guard_failed: ['guard call failed', 'guard calls failed'],
  exporter_lagging: ['exporter fell behind', 'exporters fell behind'],
};
const NAMES: Readonly<Record<NoticeEvent, string>> = {
  paused: 'guard',
  escalated: 'guard',
  decision: 'guard',
  expired: 'guard',
  budget_low: 'budget',
  guard_failed: 'guard',
  exporter_lagging: 'exporter',
};
/** Groups in a message for people. */
const MAX_LINES = 10;
const MAX_NAME = 128;
/** Slack refuses longer texts. */
const MAX_TEXT = 3_000;

export function titleOf({ groups }: Notice): string {
  const events = [...new Set(groups.map(({ event }) => event))];
  const parts = events.map((event) => {
    const count = countOf({ groups: groups.filter((group) => group.event === event) });
    return `${count} ${TITLES[event][count === 1 ? 0 : 1]}`;
  });
  return `svc: ${parts.join(', ')}`;
}

/** The page to open. */
export function linkOf({ groups }: Notice, public_url: string): string {
  const isAbout = (...events: NoticeEvent[]): boolean => groups.some(({ event }) => events.includes(event));
  const [run_id] = groups.flatMap(({ run_ids }) => run_ids);
  const isOne = countOf({ groups }) === 1 && run_id !== undefined;
  if (isAbout('paused', 'escalated', 'decision', 'expired')) return `${public_url}/approvals${isOne ? `#run=${run_id}` : ''}`;
  return isAbout('budget_low') ? `${public_url}/usage` : `${public_url}/admin`;
}

/** Lines for people. */
function linesOf({ groups }: Notice): string[] {
  const lines = groups.slice(0, MAX_LINES).map(lineOf);
  return groups.length > MAX_LINES ? [...lines, `and ${groups.length - MAX_LINES} more`] : lines;
}

function lineOf({ event, count, route, name, code, amount, since }: NoticeGroup): string {
  const facts = Object.entries({ [NAMES[event]]: name, code, route }).flatMap(([key, value]) =>
    value === null ? [] : [`${key} ${plain(value)}`],
  );
  const measure = amount === null ? [] : [event === 'budget_low' ? `${amount}% used` : `${amount} records`];
  const oldest = `${count === 1 ? 'at' : 'since'} ${new Date(since).toISOString().replace(/\.\d+/, '')}`;
  return `${count} × ${[event, ...facts, ...measure, oldest].join(', ')}`;
}

/** Removes markup from a name, and writes `evil.example` as `evil[.]example`, so that no program makes a link of it. */
function plain(name: string): string {
  return name
    .replace(/[^\w.:@/+-]/g, '?')
    .replace(/[.:@]/g, '[$&]')
    .slice(0, MAX_NAME);
}

/** Standard Webhooks: `type`, `timestamp` and `data`. */
export function webhookBody(notice: Notice, public_url: string): object {
  const groups = notice.groups.map(({ since, ...group }) => ({ ...group, since: new Date(since).toISOString() }));
  const data = { count: countOf(notice), url: linkOf(notice, public_url), groups };
  return { type: 'notice', timestamp: new Date(notice.at).toISOString(), data };
}

/** Block Kit, for an incoming webhook of Slack. */
export function slackBody(notice: Notice, public_url: string): object {
  const text = titleOf(notice);
  const plainText = (value: string) => ({ type: 'section', text: { type: 'plain_text', text: value } });
  const link = { type: 'section', text: { type: 'mrkdwn', text: `<${linkOf(notice, public_url)}|Open>` } };
  return { text, blocks: [plainText(text), plainText(linesOf(notice).join('\n').slice(0, MAX_TEXT)), link] };
}

/** An Adaptive Card, for a webhook of Teams Workflows. */
export function teamsBody(notice: Notice, public_url: string): object {
  const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text, wrap: true, ...more });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [block(titleOf(notice), { weight: 'Bolder' }), ...linesOf(notice).map((line) => block(line))],
    actions: [{ type: 'Action.OpenUrl', title: 'Open', url: linkOf(notice, public_url) }],
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

export function mailText(notice: Notice, public_url: string): string {
  return `${[titleOf(notice), ...linesOf(notice), '', linkOf(notice, public_url)].join('\n')}\n`;
}
