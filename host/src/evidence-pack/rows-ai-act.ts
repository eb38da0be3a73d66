import type { PackFacts } from './facts.ts';
import { counted, notShown, partly, type Row, rowOf, type Shown } from './requirement.ts';

const row = rowOf('EU AI Act');

/** Six months, at their longest. */
const SIX_MONTHS_MS = 184 * 24 * 60 * 60 * 1000;

/** Articles of Regulation (EU) 2024/1689 on high-risk systems that logs can help with. None is shown as fulfilled: that is for a lawyer to say. */
export const AI_ACT_ROWS: readonly Row[] = [
  row('Article 12', 'Events are recorded automatically', 'ledger', ({ runs, ledger }) => {
    if (runs.ended === 0) return notShown('No run ended in the period.');
    const said = `${counted(runs.ended, 'run')} in a signed ledger without gaps`;
    return ledger.closed
      ? partly(`${said}. Whether the system needs other events too is not in the records.`)
      : partly(`${said}. No later record shows yet that the period is complete. Pack again when a later run has ended.`);
  }),
  row('Article 14', 'People oversee the system and can stop it', 'approvals', ({ runs, operations }) =>
    runs.decisions === 0 && operations.state_changes === 0
      ? notShown('Nobody decided on a request, and nobody stopped anything in the period.')
      : partly(
          `${counted(runs.decisions, 'decision')}, ${runs.by_person} by a person whom an issuer verified; ${counted(operations.state_changes, 'stop or release', 'stops and releases')}. The skills and the authority of these people are not in the records.`,
        ),
  ),
  row('Article 19', 'The provider keeps the logs for at least six months', 'ledger', kept),
  row('Article 26', 'The deployer monitors, oversees and keeps the logs for at least six months', 'inventory', (facts) => {
    const { routes, runs } = facts;
    if (routes.all === 0) return notShown('No route is in the inventory of the period.');
    return partly(
      `${counted(routes.all, 'route')}, ${routes.with_owner} with an owner and ${routes.with_review} with a date of review; ${counted(runs.decisions, 'decision')} of approvers. ${isKept(facts) ? 'The oldest record of the period is six months old.' : 'The pack does not show that logs were kept for six months.'} Instructions, training and informing people are not in the records.`,
    );
  }),
];

/** Whether others state that the oldest record of the period existed six months after its run. The gateway states when that was. */
function isKept({ runs, timestamped, cosigned }: PackFacts): boolean {
  const latest = latestOf(timestamped, cosigned, runs.first_seq ?? Number.POSITIVE_INFINITY);
  return runs.first_at !== null && latest !== null && Date.parse(latest) - Date.parse(runs.first_at) >= SIX_MONTHS_MS;
}

/** The latest time that someone else states for the record `seq`. Null: nobody does. */
function latestOf(stamped: PackFacts['timestamped'], cosigned: PackFacts['cosigned'], seq: number): string | null {
  const times = [
    ...(stamped.state === 'checked' && stamped.size >= seq ? [stamped.time] : []),
    ...(cosigned.state === 'checked' && cosigned.size >= seq ? cosigned.by.map(({ time }) => time) : []),
  ];
  return times.toSorted().at(-1) ?? null;
}

function kept(facts: PackFacts): Shown {
  const { runs, timestamped, cosigned } = facts;
  if (runs.first_at === null || runs.first_seq === null) return notShown('No run ended in the period.');
  const latest = latestOf(timestamped, cosigned, runs.first_seq);
  if (latest === null)
    return notShown(
      'Nobody but the operator states a time for the oldest record of the period. Set ledger.timestamps or ledger.witnesses, and give --tsa-ca or --policy.',
    );
  return isKept(facts)
    ? partly(
        `The gateway states that the oldest run of the period ended at ${runs.first_at}. Others state that its record existed by ${latest}, and it is in the pack. How long other logs are kept is not in the records.`,
      )
    : partly(
        `The oldest record of the period, of ${runs.first_at}, was younger than six months at ${latest}, the latest time that others state. Pack this period again later.`,
      );
}
