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
      ? partly(`${said}. The records do not show whether the system must log other events too.`)
      : partly(
          `${said}. No later record proves yet that the period is complete. Write the pack again when a later run has ended.`,
        );
  }),
  row('Article 14', 'People oversee the system and can stop it', 'approvals', ({ runs, operations }) =>
    runs.decisions === 0 && operations.state_changes === 0
      ? notShown('In the period, nobody decided on a request or stopped anything.')
      : partly(
          `${counted(runs.decisions, 'decision')}, ${runs.by_person} by a person verified by an issuer; ${counted(operations.state_changes, 'stop or release', 'stops and releases')}. The records do not show the skills and the authority of these people.`,
        ),
  ),
  row('Article 19', 'The provider keeps the logs for at least six months', 'ledger', kept),
  row('Article 26', 'The deployer monitors, oversees and keeps the logs for at least six months', 'inventory', (facts) => {
    const { routes, runs } = facts;
    if (routes.all === 0) return notShown('The inventory of the period has no route.');
    return partly(
      `${counted(routes.all, 'route')}, ${routes.with_owner} with an owner and ${routes.with_review} with a review date; ${counted(runs.decisions, 'decision')} by approvers. ${isKept(facts) ? 'The oldest record of the period is at least six months old.' : 'The pack does not show that logs were kept for six months.'} The records do not show whether people were instructed, trained and informed.`,
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
      'Only the operator states a time for the oldest record of the period. Set ledger.timestamps or ledger.witnesses, and write the pack with --tsa-ca or --policy.',
    );
  return isKept(facts)
    ? partly(
        `The gateway states that the oldest run of the period ended at ${runs.first_at}. A witness or time-stamp authority states that its record existed at ${latest}, and the pack contains it. The records do not show how long other logs are kept.`,
      )
    : partly(
        `The oldest record of the period is from ${runs.first_at}. It was less than six months old at ${latest}, the latest time that a witness or time-stamp authority states. Write the pack for this period again later.`,
      );
}
