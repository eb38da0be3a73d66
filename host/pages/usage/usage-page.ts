import { problemText } from '../shared/api-error.ts';
import type { Usage } from '../shared/api-types.ts';
import { byId, element, facts, say, showProblem } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import { chart } from './chart.ts';
import { countText, MEASURES, usdText } from './measures.ts';
import { intervalsOf, intervalText, PERIODS, type PeriodName } from './period.ts';
import { groupName, seriesOf, valuesOf } from './series.ts';
import { addSums, byInterval, sumsTable } from './tables.ts';

const GROUPS: Readonly<Record<Usage['group_by'], string>> = {
  route: 'Route',
  team: 'Team',
  model: 'Model',
  principal: 'Principal',
  key: 'Key',
  session: 'Session',
  client: 'Client',
  user: 'User',
};

/** Maximum rows in the table of groups. */
const MAX_ROWS = 200;

const isOneOf = <T extends object>(names: T, name: string | null): name is keyof T & string =>
  name !== null && Object.hasOwn(names, name);

/** Shows what was used, by route, team, model, principal, key, session, client or user. The choice is kept in the address. */
export function showUsage(session: Session): void {
  const form = byId('choice', HTMLFormElement);
  if (!session.may('call') && !session.may('audit')) {
    form.hidden = true;
    const who = `${session.principal_id} cannot see usage`;
    showProblem(byId('problem', HTMLElement), `${who}, because it has neither the role call nor the role audit.`);
    return;
  }
  const period = byId('period', HTMLSelectElement);
  const group = byId('group', HTMLSelectElement);
  const asked = new URLSearchParams(location.search);
  fill(
    period,
    Object.entries(PERIODS).map(([name, { label }]) => [name, label]),
    asked.get('period') ?? '7d',
  );
  fill(group, Object.entries(GROUPS), asked.get('group_by') ?? 'route');
  let newest = 0;

  const refresh = async (): Promise<void> => {
    const name = isOneOf(PERIODS, period.value) ? period.value : '7d';
    const group_by = isOneOf(GROUPS, group.value) ? group.value : 'route';
    history.replaceState(null, '', `?${new URLSearchParams({ period: name, group_by })}`);
    newest += 1;
    const turn = newest;
    say(byId('summary', HTMLElement), 'Adding up…');
    try {
      const intervals = intervalsOf(PERIODS[name], Date.now());
      const usage = await session.api.usage({ since: intervals[0] ?? '', group_by, interval: PERIODS[name].interval });
      if (turn !== newest) return;
      showProblem(byId('problem', HTMLElement), null);
      show(usage, name, intervals, session.may('audit') ? null : session.principal_id);
    } catch (error) {
      if (turn !== newest) return;
      say(byId('summary', HTMLElement), '');
      showProblem(byId('problem', HTMLElement), problemText(error));
    }
  };
  for (const choice of [period, group]) choice.addEventListener('change', () => void refresh());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void refresh();
  });
  void refresh();
}

/** @param only the only principal whose requests are shown; null: all */
function show({ groups, group_by, prices }: Usage, name: PeriodName, intervals: readonly string[], only: string | null): void {
  const { interval, label } = PERIODS[name];
  const whose = only === null ? 'all requests' : `the requests of ${only}`;
  say(byId('summary', HTMLElement), `${label}, ${whose}, in UTC.`);
  byId('result', HTMLElement).hidden = groups.length === 0;
  byId('nothing', HTMLElement).hidden = groups.length > 0;
  const title = GROUPS[group_by];
  const none = `no ${title.toLowerCase()}`;
  const series = seriesOf(groups, none);
  const slots = intervals.map((since) => intervalText(since, interval));
  byId('legend', HTMLElement).replaceChildren(
    ...series.map((one, n) => element('li', {}, element('span', { class: `swatch series-${n + 1}` }), one.name)),
  );
  byId('charts', HTMLElement).replaceChildren(
    ...MEASURES.map((measure) =>
      chart({ measure, slots, series: series.map((one) => ({ name: one.name, values: valuesOf(one, intervals, measure) })) }),
    ),
  );
  const total = addSums(groups);
  byId('totals', HTMLElement).replaceChildren(
    ...facts([
      ['Cost', usdText(total.usd)],
      ['Tokens', countText(total.input_tokens + total.output_tokens)],
      ['Requests', countText(total.requests)],
      [
        'Blocked',
        `${countText(total.blocked)}${total.requests === 0 ? '' : ` (${((100 * total.blocked) / total.requests).toFixed(1)} %)`}`,
      ],
    ]),
  );
  const largest = groups.slice(0, MAX_ROWS);
  const of = largest.length < groups.length ? `: the ${MAX_ROWS} of ${countText(groups.length)} with the most tokens` : '';
  say(byId('groups-title', HTMLElement), `By ${title.toLowerCase()}${of}`);
  byId('groups', HTMLElement).replaceChildren(
    sumsTable(
      'groups-title',
      title,
      largest.map((one) => [groupName(one, none), one]),
    ),
  );
  say(byId('intervals-title', HTMLElement), `By ${interval}`);
  const rows = byInterval(groups, intervals).map(([since, sums]) => [intervalText(since, interval), sums] as const);
  byId('intervals', HTMLElement).replaceChildren(sumsTable('intervals-title', interval === 'hour' ? 'Hour' : 'Day', rows));
  const unpriced = byId('unpriced', HTMLElement);
  const left = total.unpriced_runs;
  const text = left === 1 ? 'One request is' : `${countText(left)} requests are`;
  showProblem(unpriced, left === 0 ? null : `${text} not included in the cost, because the model has no price.`);
  say(
    byId('prices', HTMLElement),
    prices === null ? 'No price catalogue is in use.' : `Prices: ${prices.catalogue} ${prices.version}.`,
  );
}

function fill(select: HTMLSelectElement, options: readonly (readonly [string, string])[], chosen: string): void {
  select.replaceChildren(...options.map(([value, text]) => element('option', { value, selected: value === chosen }, text)));
}
