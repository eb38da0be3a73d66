import type { PackFacts } from './facts.ts';
import { FILES } from './files.ts';
import { type Row, type ShownState, type Source, STATES } from './requirement.ts';
import { AI_ACT_ROWS } from './rows-ai-act.ts';
import { AISVS_ROWS } from './rows-aisvs.ts';
import { EVIDENCE_ROWS } from './rows-evidence.ts';

/** A row of the table. */
export interface Requirement extends Pick<Row, 'framework' | 'id' | 'topic'> {
  readonly state: ShownState;
  readonly why: string;
  /** Its output is in `file`. Null: the gateway returned none. */
  readonly command: string;
  readonly file: string | null;
}

const ROWS: readonly Row[] = [...AISVS_ROWS, ...AI_ACT_ROWS, ...EVIDENCE_ROWS];

type Period = Pick<PackFacts, 'from' | 'to'>;
const get = (path: string): string => `curl "$SVC_URL${path}" -H "Authorization: Bearer $SVC_KEY"`;
const ofPeriod = ({ from, to }: Period): string => `--from ${from} --to ${to}`;

const SOURCES: Readonly<Record<Source, { readonly file: string; readonly command: (facts: PackFacts) => string }>> = {
  ledger: {
    file: FILES.records,
    command: ({ ledger }) => get(`/v1/audit/ledger?since_seq=${ledger.first - 1}&limit=1000`),
  },
  approvals: { file: FILES.approvals, command: (facts) => `svc evidence pack ${ofPeriod(facts)}` },
  inventory: { file: FILES.inventory, command: () => get('/v1/audit/inventory') },
  operations: { file: FILES.operations, command: () => get('/v1/audit/operations') },
  sessions: { file: FILES.sessions, command: () => get('/v1/audit/session?principal=PRINCIPAL&session=ID') },
  checkpoints: { file: FILES.checkpoint, command: () => get('/v1/audit/ledger/checkpoint') },
  witnesses: { file: FILES.cosigned, command: () => get('/v1/audit/ledger/checkpoint?cosigned=true') },
  timestamp: { file: FILES.timestamp, command: () => get('/v1/audit/ledger/timestamp') },
};

/** The table: what is not shown comes first, and rows of one state keep their order. */
export function requirementsOf(facts: PackFacts): Requirement[] {
  const rows = ROWS.map(({ framework, id, topic, source, judge }) => {
    const { file, command } = SOURCES[source];
    const isMissing =
      (source === 'witnesses' && facts.cosigned.state === 'none') ||
      (source === 'timestamp' && facts.timestamped.state === 'none');
    return { framework, id, topic, ...judge(facts), command: command(facts), file: isMissing ? null : file };
  });
  return STATES.flatMap((state) => rows.filter((row) => row.state === state));
}

/** `requirements.json`: the facts, and the rows that follow from them. */
export function requirementsText(facts: PackFacts): string {
  return `${JSON.stringify({ facts, requirements: requirementsOf(facts) }, null, 2)}\n`;
}
