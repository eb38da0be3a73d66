import type { RunReport } from '@svc/kernel/observing';
import { Counter, type Registry } from 'prom-client';

/** For teams that occur only in keys created at run time, because their number is unlimited. */
const OTHER = 'other';

/** Metrics of tokens and dollars by team. The label has only teams that a configuration has named. */
export class TeamMetrics {
  readonly #tokens: Counter<'team' | 'kind'>;
  readonly #spend: Counter<'team'>;
  /** Teams that the active configuration names. */
  named: ReadonlySet<string> = new Set();

  constructor(registry: Registry) {
    this.#tokens = new Counter({
      name: 'svc_team_tokens_total',
      help: 'Billed tokens by team; team="other" for teams that the configuration does not name.',
      labelNames: ['team', 'kind'],
      registers: [registry],
    });
    this.#spend = new Counter({
      name: 'svc_team_spend_usd_total',
      help: 'Cost in US dollars of ended runs whose models have prices, by team; team="other" for teams that the configuration does not name.',
      labelNames: ['team'],
      registers: [registry],
    });
  }

  settled({ caller, calls, micro_usd }: RunReport): void {
    if (caller.team === null) return;
    const team = this.named.has(caller.team) ? caller.team : OTHER;
    if (micro_usd !== null) this.#spend.inc({ team }, micro_usd / 1_000_000);
    for (const { usage } of calls) {
      if (usage === null) continue;
      this.#tokens.inc({ team, kind: 'input' }, usage.input_tokens);
      this.#tokens.inc({ team, kind: 'output' }, usage.output_tokens);
    }
  }
}
