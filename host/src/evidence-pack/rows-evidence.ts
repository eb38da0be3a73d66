import { notShown, partly, type Row, rowOf, shown } from './requirement.ts';

const row = rowOf('The evidence itself');

/** How far the evidence goes. */
export const EVIDENCE_ROWS: readonly Row[] = [
  row('Witnesses', 'Others saw the same ledger', 'witnesses', ({ cosigned, ledger }) => {
    if (cosigned.state === 'none') return notShown('No checkpoint has enough cosignatures. Set ledger.witnesses.');
    if (cosigned.state === 'unchecked')
      return partly('A checkpoint has cosignatures, but the pack has no keys of witnesses. Write the pack with --policy FILE.');
    const by = cosigned.by.map(({ name, time }) => `${name} at ${time}`).join(', ');
    return cosigned.size >= ledger.last
      ? shown(`Cosigned by ${by}. Compare their keys in trust/ with those that you know.`)
      : partly(`Only the first ${cosigned.size} of ${ledger.last} records are cosigned, by ${by}.`);
  }),
  row('Time', 'A third party states when the records existed', 'timestamp', ({ timestamped, ledger }) => {
    if (timestamped.state === 'none') return notShown('No checkpoint has a time stamp. Set ledger.timestamps.');
    if (timestamped.state === 'unchecked')
      return partly(
        'A checkpoint has a time stamp, but the pack has no root certificates of its authority. Write the pack with --tsa-ca FILE.',
      );
    const by = `${timestamped.authority} at ${timestamped.time}`;
    return timestamped.size >= ledger.last
      ? shown(`Time stamp by ${by}. Compare its root certificates in trust/ with those that you know.`)
      : partly(`The time stamp by ${by} covers only the first ${timestamped.size} of ${ledger.last} records.`);
  }),
  row('Completeness', 'No run and no operation of the period is left out', 'ledger', ({ ledger, operations }) => {
    if (!ledger.closed)
      return partly(
        'The records have no gap, but none is later than the period. Runs that end later in the period are not in the pack.',
      );
    return operations.closed
      ? shown('The records and the operations have no gap and continue beyond the end of the period.')
      : partly(
          'The records have no gap and continue beyond the end of the period. No operation is later than the period, so its last operations could be missing.',
        );
  }),
  row('Signature', 'The gateway signed the ledger', 'checkpoints', ({ ledger }) =>
    shown(`Signed by ${ledger.signed_by.join(', ')}. Compare the key with the one that the operator gave you.`),
  ),
];
