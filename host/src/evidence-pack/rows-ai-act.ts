import type { PackFacts } from './facts.ts';
import { counted, notShown, partly, type Row, type Shown, shown } from './requirement.ts';

const row = (id: string, topic: string, source: Row['source'], judge: (facts: PackFacts) => Shown): Row => ({
  framework: 'EU AI Act',
  id,
  topic,
  source,
  judge,
});

/** Six months, at their longest. */
const SIX_MONTHS_MS = 184 * 24 * 60 * 60 * 1000;

/** Articles of Regulation (EU) 2024/1689 that logs can help with. Whether they apply is for a lawyer to say. */
export const AI_ACT_ROWS: readonly Row[] = [
  row('Article 12', 'Events are recorded automatically', 'ledger', ({ runs, ledger }) => {
    if (runs.ended === 0) return notShown('No run ended in the period.');
    const said = `${counted(runs.ended, 'run')} in a signed ledger without gaps`;
    return ledger.closed
      ? shown(`${said}. It covers the requests through the gateway.`)
      : partly(`${said}. No later record shows yet that the period is complete. Pack again when a later run has ended.`);
  }),
  row('Article 14', 'People oversee the system and can stop it', 'approvals', ({ runs, operations }) =>
    runs.decisions === 0 && operations.state_changes === 0
      ? notShown('Nobody decided on a request, and nobody stopped anything in the period.')
      : partly(
          `${counted(runs.decisions, 'decision')}, ${runs.by_person} by a person whom an issuer verified; ${counted(operations.state_changes, 'stop or release', 'stops and releases')}. The skills and the authority of these people are not in the records.`,
        ),
  ),
  row('Article 19', 'The provider keeps the logs for six months', 'ledger', kept),
  row('Article 26', 'The deployer monitors, oversees and keeps the logs', 'report', ({ routes, runs, ...facts }) => {
    if (routes.all === 0) return notShown('No route is in the inventory of the period.');
    const isKept = kept({ ...facts, routes, runs }).state === 'shown';
    return partly(
      `${counted(routes.all, 'route')}, ${routes.with_owner} with an owner and ${routes.with_review} with a date of review; ${counted(runs.decisions, 'decision')} of approvers. ${isKept ? 'The logs were kept for six months.' : 'The pack does not show that logs were kept for six months.'} Instructions, training and informing people are not in the records.`,
    );
  }),
];

/** Only a time that someone else states can show how old a record is. */
function kept({ runs, timestamped, cosigned }: PackFacts): Shown {
  if (runs.first_at === null) return notShown('No run ended in the period.');
  const times = [
    ...(timestamped.state === 'checked' ? [timestamped.time] : []),
    ...(cosigned.state === 'checked' ? cosigned.by.map(({ time }) => time) : []),
  ];
  const latest = times.toSorted().at(-1);
  if (latest === undefined)
    return notShown(
      'Nobody but the operator states a time. Set ledger.timestamps or ledger.witnesses, and give --tsa-ca or --policy.',
    );
  const age = Date.parse(latest) - Date.parse(runs.first_at);
  return age >= SIX_MONTHS_MS
    ? shown(`A record of ${runs.first_at} was still in the ledger at ${latest}, as others state.`)
    : partly(
        `The oldest record of the period, of ${runs.first_at}, was younger than six months at ${latest}, as others state. Pack this period again later.`,
      );
}
