import { counted, notShown, partly, type Row, rowOf, shown } from './requirement.ts';

const row = rowOf('OWASP AISVS 1.0');
/** Rows that no record of svc can show. */
const never = (id: string, topic: string, source: Row['source'], why: string): Row => row(id, topic, source, () => notShown(why));

const OUTSIDE = 'The records show only what goes through the gateway, not what agents do without it.';

/** By the ids of OWASP AISVS 1.0. The topics are our words; read the requirements there. */
export const AISVS_ROWS: readonly Row[] = [
  row('9.2.1', 'A person approves high-impact actions first', 'approvals', ({ runs }) =>
    runs.paused === 0
      ? notShown(
          'No request was paused in the period. Let a guard ask for approval (require_approval, or action: approve of the guard tools).',
        )
      : partly(`${counted(runs.paused, 'run')} paused, ${counted(runs.decisions, 'decision')}. ${OUTSIDE}`),
  ),
  row('9.2.2', 'Approvers see the whole action', 'approvals', ({ runs }) =>
    runs.decisions === 0
      ? notShown('Nobody decided in the period.')
      : partly(
          'Each decision has the digest of the complete content that was decided on. The records do not show what was on the screen.',
        ),
  ),
  never(
    '9.2.3',
    'Actions are classified by whether they can be undone',
    'inventory',
    'svc does not classify actions. Its rules name tools, not effects.',
  ),
  never('9.2.4', 'Actions are limited by that classification', 'inventory', 'svc does not classify actions, see 9.2.3.'),
  never(
    '9.2.5',
    'Agents cannot change themselves without limits',
    'ledger',
    'svc sees only the requests that an agent sends, not its prompts and settings.',
  ),
  row('9.2.6', 'A model also reviews risky actions', 'ledger', ({ runs }) =>
    runs.judged === 0
      ? notShown(
          'No model returned a verdict in the period. Add the guard judge to a pipeline, in addition to guards with rules.',
        )
      : partly(
          `${counted(runs.judged, 'verdict')} of the guard judge, in addition to those of other guards. The records do not say which actions are risky.`,
        ),
  ),
  never(
    '9.2.7',
    'The review by a model resists manipulation',
    'ledger',
    'Records of verdicts do not prove that a model cannot be misled. Test this separately.',
  ),
  row('9.2.8', 'Approvals are cryptographically bound to their content', 'approvals', ({ runs }) => {
    if (runs.decisions === 0) return notShown('Nobody decided in the period.');
    if (runs.signed === 0)
      return notShown('No decision is signed. Set auth.passkeys, and set approval_passkey: required in the routes.');
    const said = `${runs.signed} of ${counted(runs.decisions, 'decision')} signed with a passkey. The signature covers the digest of the content, the run (whose record names the requester), the approver and a nonce`;
    return runs.signed === runs.decisions
      ? shown(`${said}. The verifier checked each signature.`)
      : partly(`${said}. Set approval_passkey: required in all routes.`);
  }),
  row('9.2.9', 'Agents have no access to the keys of approvers', 'operations', ({ runs }) =>
    runs.signed === 0
      ? notShown('No decision is signed by a key of the approver. Set auth.passkeys.')
      : partly('Signed decisions contain the public key of the passkey. The records do not show where its private key is kept.'),
  ),
  never(
    '9.2.10',
    'A chain of actions gets its strictest classification',
    'sessions',
    'svc does not classify actions (9.2.3), and checks each request on its own.',
  ),
  never(
    '9.4.1',
    'Each agent has its own cryptographic identity',
    'ledger',
    'Records name the principal of an API key or a token. svc does not authenticate agents to other systems.',
  ),
  row('9.4.2', 'Each step of an agent is bound to the previous one', 'sessions', ({ runs, sessions }) =>
    sessions === 0
      ? notShown('No run has a session. Have clients send the header x-svc-session.')
      : partly(
          `${counted(sessions, 'session')}, whose ${counted(runs.of_session, 'run')} in the period are chained by hashes. The gateway signs for them, not the agent.`,
        ),
  ),
  row('9.4.3', 'Credentials of agents are replaced on a schedule', 'operations', ({ operations }) =>
    operations.keys_rotated === 0
      ? notShown('No key was rotated in the period (svc keys rotate).')
      : partly(
          `${counted(operations.keys_rotated, 'key rotation')} in the period. The records show neither the schedule nor the tokens of an issuer.`,
        ),
  ),
  never('9.4.4', 'What an agent stores cannot be changed undetected', 'ledger', 'svc does not store the state of agents.'),
  row('9.6.1', 'A person can stop models at once', 'operations', ({ operations, runs }) =>
    operations.stops === 0
      ? notShown('Nobody stopped a route, a provider or a principal in the period. Try svc stop in a drill.')
      : shown(
          `${counted(operations.stops, 'stop')} of a route, a provider or a principal. ${runs.stopped === 0 ? 'The records show no run that was ended by it.' : `It ended ${counted(runs.stopped, 'run')} in progress.`}`,
        ),
  ),
  row('9.6.2', 'Without approval in time, the action is blocked', 'approvals', ({ runs }) => {
    if (runs.expired === 0)
      return notShown(
        runs.paused === 0
          ? 'No request waited for approval in the period.'
          : 'Each request in the period was decided in time, so no record shows this.',
      );
    const said = `${runs.expired_denied} of ${counted(runs.expired, 'run')} without a decision in time were denied`;
    return runs.expired_denied === runs.expired ? shown(`${said}.`) : partly(`${said}.`);
  }),
  row('10.4.8', 'A changed tool definition needs a new approval', 'ledger', ({ runs }) => {
    if (runs.tool_verdicts === 0)
      return notShown('The guard tools checked nothing in the period. Add it to a pipeline, with pins.');
    if (runs.changed_tools === 0)
      return partly(
        `${counted(runs.tool_verdicts, 'verdict')} of the guard tools, none for a changed definition. The records do not list the pins.`,
      );
    return partly(
      `${counted(runs.changed_tools, 'changed definition')} refused or paused for approval. The records do not list the pins.`,
    );
  }),
  row('12.1.1', 'Interactions are logged with their session', 'ledger', ({ runs }) => {
    if (runs.ended === 0) return notShown('No run ended in the period.');
    const said = `${counted(runs.ended, 'run')}, ${runs.of_session} with a session`;
    return runs.of_session === runs.ended
      ? shown(`${said}. Each record has the verdicts, calls, tokens and times.`)
      : partly(`${said}. Have all clients send the header x-svc-session.`);
  }),
  row('12.2.5', 'Tokens are counted by user, session, feature and team', 'ledger', ({ runs }) =>
    runs.with_usage === 0
      ? notShown('No run in the period has a token count.')
      : partly(
          `${counted(runs.with_usage, 'run')} with tokens, by route and principal; ${runs.of_session} with a session, ${runs.with_user} with a user. The evidence does not include teams: see /v1/usage of the gateway.`,
        ),
  ),
  row('12.4.3', 'Stops and overrides are logged', 'operations', ({ operations }) =>
    operations.state_changes === 0
      ? notShown('Nobody stopped or enabled anything in the period. Try svc stop in a drill.')
      : shown(
          `${counted(operations.state_changes, 'change')}, each recorded in a signed log with its operator, time and reason.`,
        ),
  ),
];
