import type { TestGateway } from '../harness/gateway.ts';
import { BUDGET, DEFAULT_OUTPUT_TOKENS, PRICE } from './config.ts';
import { type Law, law, round } from './law.ts';
import type { LedgerSums } from './ledger.ts';

/** Upper bound of what a call with an unknown cost has reserved: its output, and one token for 2 bytes of its texts. */
const RESERVED_INPUT = 400;
const RESERVED_TOKENS = DEFAULT_OUTPUT_TOKENS + RESERVED_INPUT;

/** The report, the usage and the budgets have what the ledger has. */
export async function lawsOfCounters(gateway: TestGateway, { statuses, all, budgeted }: LedgerSums): Promise<Law[]> {
  const report = (await gateway.get('/v1/audit/report', 'auditor')).body.run_stats as Record<string, number>;
  const names = new Set([...Object.keys(report), ...Object.keys(statuses)]);
  const differing = [...names].filter((status) => (report[status] ?? 0) !== (statuses[status] ?? 0));
  const groups = (await gateway.get('/v1/usage?group_by=route', 'auditor')).body.groups as Record<string, number>[];
  const sum = (field: string): number => groups.reduce((total, group) => total + (group[field] ?? 0), 0);
  const tokens = sum('input_tokens') + sum('output_tokens');
  const usage = `${tokens} and ${all.tokens} tokens, ${Math.round(sum('usd') * 1e6)} and ${all.micro_usd} micro-dollars`;
  const isSame = tokens === all.tokens && Math.abs(sum('usd') * 1e6 - all.micro_usd) < 1;
  return [
    law('the report counts the runs of the ledger', differing.length === 0, JSON.stringify(report)),
    law('the usage is that of the ledger', isSame, usage),
    ...(await lawsOfBudgets(gateway, budgeted)),
  ];
}

/** What a budget has used is what the ledger has, and at most the reservations of calls with an unknown cost more. */
async function lawsOfBudgets(
  gateway: TestGateway,
  { tokens, micro_usd, calls, unknown }: LedgerSums['budgeted'],
): Promise<Law[]> {
  const { text } = await gateway.get('/metrics', null);
  const reserved_usd = (RESERVED_TOKENS * Math.max(PRICE.input, PRICE.output)) / 1e6;
  const expected = {
    tokens: [tokens, RESERVED_TOKENS],
    usd: [micro_usd / 1e6, reserved_usd],
    calls: [calls, 1],
  } as const;
  return Object.entries(expected).map(([unit, [booked, reserved]]) => {
    const ratio = new RegExp(`^svc_budget_used_ratio\\{budget="budget/global-${unit}-month"[^}]*\\} (\\S+)$`, 'm').exec(
      text,
    )?.[1];
    const used = Number(ratio) * BUDGET[unit as keyof typeof BUDGET];
    const close = 1e-6 * Math.max(1, booked);
    const isSo = used >= booked - close && used <= booked + unknown * reserved + close;
    return law(
      `the budget of ${unit} is what was used`,
      isSo,
      `${round(used)} used, ${round(booked)} in the ledger, ${unknown} calls unknown`,
    );
  });
}
