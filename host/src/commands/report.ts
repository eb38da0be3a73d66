import { ModelInventory } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { Report } from '../http/schemas.ts';
import { readArguments } from './arguments.ts';
import { askServer, notOurs, SERVER_OPTION } from './ask-server.ts';
import { AUDIT_HINTS } from './runs-of-server.ts';
import { printable, styled } from './terminal.ts';

/** As `Report`, but without its reference to a named schema. */
const ServedReport = Type.Object({ ...Report.properties, inventory: Type.Array(ModelInventory) });

/** `svc report [--server URL] [--json]` */
export async function report(args: string[]): Promise<void> {
  const { server, json } = readArguments(args, { server: SERVER_OPTION, json: { type: 'boolean', default: false } }).values;
  const answer = await askServer(server, { method: 'GET', path: '/v1/audit/report' }, AUDIT_HINTS);
  if (!Value.Check(ServedReport, answer)) throw notOurs(server);
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : wordsOf(answer));
}

function wordsOf({ generated_at, inventory, run_stats, chain_length }: Static<typeof ServedReport>): string {
  return `${[
    `${printable(generated_at)}: ${chain_length} records in the ledger`,
    styled('bold', 'runs:'),
    ...Object.entries(run_stats).map(([status, runs]) => `- ${printable(status)} ${runs}`),
    styled('bold', 'routes:'),
    ...inventory.map(routeLine),
  ].join('\n')}\n`;
}

function routeLine({
  model_id,
  model_name,
  model_origin,
  model_risk_rating,
  model_owner,
  next_review_date,
}: ModelInventory): string {
  const facts = [
    `model ${model_name}`,
    model_origin,
    ...(model_risk_rating === null ? [] : [`risk ${model_risk_rating}`]),
    ...(model_owner === null ? [] : [`owner ${model_owner}`]),
    ...(next_review_date === null ? [] : [`next review ${next_review_date}`]),
  ];
  return `- ${printable(`${model_id}: ${facts.join('; ')}`)}`;
}
