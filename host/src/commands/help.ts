const WIDTH = 100;

interface Command {
  readonly name: string;
  readonly options: string;
  /** One line of the list of commands. */
  readonly summary: string;
  /** Shown only with the command's own usage. */
  readonly notes?: string;
}

const ON_SERVER = 'Needs a running server. SVC_KEY must hold an API key';
const BY_ADMIN = `${ON_SERVER} with the role admin.`;

/** Shell completion is generated from this list as well. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'init',
    options: '[--config F] [--json]',
    summary: 'Write a commented configuration and two API keys',
    notes: 'Creates one key for a caller and one for an approver. Also writes a JSON Schema of the configuration for editors.',
  },
  {
    name: 'start',
    options: '[--config F] …',
    summary: 'Run init if there is no configuration, then serve',
    notes: 'Stores data in a folder next to the configuration. Accepts all options of serve. npm start runs this command.',
  },
  {
    name: 'serve',
    options:
      '[--config F] [--host H] [--port N] [--no-auth [--allow-host NAME]..] [--runs-db DIR|URL] [--log-level debug|info|warn|error] [--log-format auto|json|pretty] [--demo] [--accept-clock]',
    summary: 'Start the gateway',
    notes:
      '--runs-db stores runs, approvals and evidence in a folder or in PostgreSQL (postgres://). Without it, they are deleted when the server stops. --no-auth turns authentication off; on any address other than loopback, it requires --allow-host for each permitted Host. --log-level and --log-format override telemetry.logs; auto is pretty on a terminal and json elsewhere. --demo limits each visitor to 30 requests per minute. --accept-clock starts once even if the newest ledger record is later than the clock.',
  },
  {
    name: 'lint',
    options: '[FILE | --config F] [--json]',
    summary: 'Check a configuration',
    notes: 'The file defaults to svc.yaml. The exit code is 1 if there are errors.',
  },
  {
    name: 'doctor',
    options: '[--config F] [--runs-db DIR|URL] [--offline] [--json]',
    summary: 'Check the machine, configuration and providers, and suggest fixes',
    notes:
      'Checks Node, the configuration and its secrets, memory, disk, runs-db, modes of key files, providers and their keys, issuers, the clock, and models without a price. Run it as the user that runs the server; the server need not be running. Each provider bills one short call. --offline skips providers and issuers. --runs-db defaults to runs-db. The exit code is 1 if there is a problem.',
  },
  {
    name: 'chat',
    options: '[TEXT] [--route R | --model M] [--system TEXT] [--server URL] [--json]',
    summary: 'Chat with a model through the gateway',
    notes: `Prints the answer as it is generated. If a guard blocks the request, prints the reason. If the request is paused, waits for the decision and continues. Without TEXT, reads standard input, or prompts on a terminal. Ctrl-C stops the answer; pressing it again quits. R is a route (default: default), M a model of a route such as openai/*. --json prints one JSON line for each answer. ${ON_SERVER} with the role call. The exit code is 1 if the last answer was not completed.`,
  },
  {
    name: 'config schema',
    options: '[--config F]',
    summary: 'Print the JSON Schema of the configuration, for editors',
    notes:
      'Includes the options of all plugins that F may load. If F does not exist, includes the plugins installed in its folder. svc init writes the schema to a file. Print it again when you add or update plugins.',
  },
  {
    name: 'provider test',
    options: 'NAME [--model M] [--config F] [--json]',
    summary: 'Test a provider with one complete and one streamed call',
    notes:
      'Prints whether the provider answers, how long it takes, and how to fix a failure. Uses the key and the timeouts of the provider. Without --model, uses the first model that a route names for it. The provider bills two short calls. No server is needed, and nothing is recorded. The exit code is 1 if a call fails.',
  },
  {
    name: 'apply',
    options: '[--server URL] [--dry-run] [--reason R] [--json]',
    summary: 'Reload the configuration file of a running server',
    notes: `--dry-run shows what would change. ${BY_ADMIN}`,
  },
  {
    name: 'scan',
    options: '[--config F] [--pack NAME]',
    summary: 'Run a guard on texts from standard input',
    notes: 'Reads JSON lines {"text"} and writes one JSON line for each.',
  },
  {
    name: 'try',
    options: '[PATH].. [--config F] [--pack NAME].. [--threshold PACK=T,T..].. [--show-text] [--html FILE] [--json]',
    summary: 'Show what the guards of a configuration find in examples',
    notes:
      'PATH is a text file, JSON lines ({"text"}, or a request or an answer of any protocol), a JSON file, or a folder of these; without it, JSON lines are read from standard input. --threshold compares thresholds of a pack: pii=0.3,0.5. Found text is shown only with --show-text. --html writes a page with charts. No model is called, and nothing is recorded. The exit code is 1 if an example could not be read or a guard failed.',
  },
  {
    name: 'replay',
    options:
      'FILE [--since 7d|TIME] [--until TIME] [--route R] [--runs-db DIR|URL] [--config F] [--resume STATE] [--fail-if COND].. [--html PAGE] [--json]',
    summary: 'Show what a new configuration would change for recorded runs',
    notes:
      'FILE is the new configuration. Its guards check the recorded content of runs (server.record_content), and the output shows which runs would newly be blocked, paused, masked or freed. No model or service is called, and nothing is written to the runs-db. --runs-db defaults to runs-db, which a server may be using. The content key is taken from the configuration F (default: svc.yaml). --resume continues an interrupted replay. COND is NAME>N, NAME>=N or NAME>N% with newly_blocked, newly_paused, newly_masked, freed or not_replayed, or NAME>N with approvals_a_day or guard_failures. The exit code is 3 if a condition holds.',
  },
  {
    name: 'policy test',
    options: 'CASES [--config F] [--json]',
    summary: 'Test the guards of a configuration with named cases',
    notes:
      'CASES is a YAML file with the list cases. Each case has a name, a route, a text or body as in POST /v1/guard, and expect: the verdict, and optionally guard, code, findings and the edited text. No model or service is called. The exit code is 1 if a case fails, and 2 if the file has errors.',
  },
  {
    name: 'keys new',
    options: 'PRINCIPAL [--role R].. [--json]',
    summary: 'Create an API key for the configuration file',
    notes: 'Prints the key and its entry for auth.keys. The default role is call.',
  },
  {
    name: 'keys create',
    options:
      'PRINCIPAL [--server URL] --role R.. [--route R].. [--namespace N].. [--team T] [--expires-at TIME] [--reason TEXT] [--json]',
    summary: 'Create an API key on a running server',
    notes: `--route and --namespace limit the key. The key is shown only once. ${BY_ADMIN}`,
  },
  {
    name: 'keys list',
    options: '[--server URL] [--json]',
    summary: 'List the keys created on a running server',
    notes: `Shows when each key was last used. ${BY_ADMIN}`,
  },
  {
    name: 'keys rotate',
    options: 'ID [--server URL] [--overlap-s N] [--expires-at TIME] [--reason TEXT] [--json]',
    summary: 'Replace a key created on a running server',
    notes: `The old key stays valid for N seconds, by default for one day. ${BY_ADMIN}`,
  },
  {
    name: 'keys revoke',
    options: 'ID [--server URL] [--reason TEXT] [--json]',
    summary: 'Revoke a key created on a running server',
    notes: `The key stops working at every gateway that shares the store. ${BY_ADMIN}`,
  },
  {
    name: 'stop',
    options:
      'route|provider|guard|principal NAME [--state disabled|read_only|approval_required] [--for 30m] [--reason R] [--server URL] [--json]',
    summary: 'Disable a route, provider, guard or principal now',
    notes: `Only routes have the states read_only and approval_required. With --for, the change expires. A reason is required with --for and for guards. ${BY_ADMIN}`,
  },
  {
    name: 'allow',
    options: 'route|provider|guard|principal NAME [--for 30m] [--reason R] [--server URL] [--json]',
    summary: 'Undo svc stop',
    notes: `With --for, the stop applies again afterwards, and a reason is required. ${BY_ADMIN}`,
  },
  {
    name: 'states',
    options: '[--server URL] [--json]',
    summary: 'List everything stopped or restricted',
    notes: BY_ADMIN,
  },
  {
    name: 'ledger verify',
    options: 'SOURCE [--checkpoint FILE].. [--key VKEY].. [--policy FILE] [--timestamp FILE].. [--tsa-ca FILE] [--json]',
    summary: 'Verify a ledger',
    notes:
      'SOURCE is a runs-db (a folder or a postgres:// URL), a JSON Lines file, or the URL of a server (API key in SVC_KEY). --checkpoint compares the ledger with a signed checkpoint, and --key checks the signature of that checkpoint. --policy also requires the cosignatures of witnesses (tlog-policy). --timestamp checks the time stamp of a checkpoint (RFC 3161), and --tsa-ca is the file with the root certificates of its authority.',
  },
  {
    name: 'ledger verify-proof',
    options: 'FILE [--key VKEY].. [--json]',
    summary: 'Verify offline that a record is in a signed ledger',
    notes: 'FILE is a proof file from GET /v1/audit/ledger/proof.',
  },
  {
    name: 'ledger tiles',
    options: 'DIR [--server URL | --runs-db DIR|URL] [--key VKEY].. [--json]',
    summary: 'Write a ledger as static files in tlog-tiles format',
    notes:
      'If DIR already has records, adds the missing ones. Use --server for a running server (API key in SVC_KEY), --runs-db for a stopped one. The files contain hashes, no content. The exit code is 4 if the records in DIR differ from the first records of the ledger.',
  },
  {
    name: 'ledger keys',
    options: '[--server URL] [--json]',
    summary: 'Print the public keys that sign the ledger of a server',
    notes: `${ON_SERVER}.`,
  },
  {
    name: 'witness',
    options: 'DIR --name NAME --log VKEY.. [--host H] [--port N]',
    summary: 'Cosign the checkpoints of other installations',
    notes:
      'DIR stores the key of the witness, which is created at the first start, and the last checkpoint of each log. VKEY is a line that svc ledger keys prints for the other installation. The startup log contains the public key of this witness; the other installation needs it in ledger.witnesses. --port defaults to 7380.',
  },
  {
    name: 'runs list',
    options:
      '[--status pending|running|paused|completed|blocked|denied|error] [--principal P] [--route R] [--session S] [--verdict allow|sanitize|require_approval|block] [--code TEXT] [--since TIME] [--until TIME] [--limit N] [--server URL] [--json]',
    summary: 'List runs, newest first',
    notes: `Lists 20 runs by default; --limit is at most 1000. --verdict finds runs in which a guard returned that verdict. --code finds runs with an event whose code contains TEXT. Both may have to read every run, so narrow the search with --since or --route. ${ON_SERVER} with the role audit. With the role approve, you can list paused runs (--status paused). With the role call, you can list your own runs (--principal).`,
  },
  {
    name: 'runs show',
    options: 'RUN_ID [--server URL] [--json]',
    summary: 'Show the history of a run, and what awaits approval',
    notes: `${ON_SERVER} of its creator or an approver, or with the role audit.`,
  },
  {
    name: 'runs watch',
    options: '[--status pending|running|paused|completed|blocked|denied|error] [--server URL] [--json]',
    summary: 'Print new and changed runs until Ctrl-C',
    notes: `--json prints one JSON line per change. ${ON_SERVER} with the role audit; with the role approve you can watch --status paused.`,
  },
  {
    name: 'runs approve',
    options: 'RUN_ID [--digest D] [--reason R] [--server URL] [--json]',
    summary: 'Approve a paused run',
    notes: `With --digest, the decision is refused if the content has changed since you read it with svc runs show. ${ON_SERVER} of an approver.`,
  },
  {
    name: 'runs deny',
    options: 'RUN_ID [--digest D] [--reason R] [--server URL] [--json]',
    summary: 'Deny a paused run',
    notes: `The caller sees the reason. ${ON_SERVER} of an approver.`,
  },
  {
    name: 'runs erase',
    options: 'RUN_ID (--server URL | --runs-db DIR|URL [--config F]) [--reason R] [--json]',
    summary: 'Erase the content of a run and keep its evidence',
    notes: 'The content cannot be restored. Use --server for a running server (API key in SVC_KEY), --runs-db for a stopped one.',
  },
  {
    name: 'runs erase --all',
    options: '--runs-db DIR|URL [--config F] [--reason R] [--json]',
    summary: 'Erase the content of all runs of a stopped server',
    notes: 'Works without the content key.',
  },
  {
    name: 'approvals delegate',
    options: 'PRINCIPAL (--for 14d | --until TIME) --reason R [--server URL] [--json]',
    summary: 'Let another person decide in your place for a limited time',
    notes: `At most 90 days. The other person needs the role approve. ${ON_SERVER} of an approver.`,
  },
  {
    name: 'approvals delegations',
    options: '[--server URL] [--json]',
    summary: 'List active delegations',
    notes: `Shows delegations from and to you; with the role admin or audit, all delegations. ${ON_SERVER} of an approver.`,
  },
  {
    name: 'approvals end',
    options: 'ID [--reason R] [--server URL] [--json]',
    summary: 'End a delegation early',
    notes: `${ON_SERVER} of the approver who made it, or with the role admin.`,
  },
  {
    name: 'explain',
    options: '(RUN_ID | --last | --session S) [--key VKEY].. [--server URL] [--json]',
    summary: 'Explain a run and verify its evidence',
    notes: `Verifies that the record of the run is in a signed checkpoint. The exit code is 1 if it is not. --session explains each run of a session, oldest first; --json then prints one line per run. Without --key, only keys that the server itself returns are checked. With --key, an unverified record is also a failure. ${ON_SERVER} with the role audit.`,
  },
  {
    name: 'report',
    options: '[--from TIME] [--to TIME] [--route R] [--format csv|html] [--server URL] [--json]',
    summary: 'Summarize runs, routes, reviews and the ledger',
    notes: `With --from, --to or --route, also counts the runs of a period by route, guard and approver. --from is inclusive, --to is exclusive. csv and html always include these counts. html is a page to view or print. ${ON_SERVER} with the role audit for all routes.`,
  },
  {
    name: 'evidence pack',
    options: '--from TIME --to TIME [--out FILE] [--server URL] [--key VKEY].. [--policy FILE] [--tsa-ca FILE] [--json]',
    summary: 'Write the evidence of a period and a verifier to one archive',
    notes: `The archive can be read and verified offline. It contains records, proofs, operations, sessions, a table of requirements, an HTML page, and verify.mjs, but no content of requests or answers. --from (inclusive) and --to (exclusive) select runs by the time they ended. --key adds an earlier key of the ledger, --policy the witnesses (tlog-policy), and --tsa-ca the root certificates of the time-stamp authority. If the server returns invalid evidence, no archive is written and the exit code is 4. ${ON_SERVER} with the role audit, not limited to routes or namespaces.`,
  },
  {
    name: 'audit export',
    options: '[--from TIME] [--to TIME] [--format jsonl|csv] [--route R] [--server URL]',
    summary: 'Write runs to standard output, newest first',
    notes: `--from is inclusive, --to is exclusive. The default format is jsonl. If the exit code is not 0, the output is incomplete. ${ON_SERVER} with the role audit.`,
  },
  {
    name: 'rag index',
    options: 'FILE --namespace N [--server URL] [--json]',
    summary: 'Index documents for retrieval',
    notes: `FILE has JSON lines {"text","metadata"}. ${ON_SERVER} with the role rag.`,
  },
  {
    name: 'rag erase',
    options: 'NAMESPACE [--server URL] [--reason R] [--json]',
    summary: 'Delete all documents of a namespace, and the key that encrypts them',
    notes: `${ON_SERVER} with the role rag.`,
  },
  {
    name: 'backup',
    options: 'DIR [--runs-db DIR|URL] [--json]',
    summary: 'Copy a runs-db to a new folder and verify the copy',
    notes: '--runs-db defaults to runs-db. The server may be running.',
  },
  {
    name: 'migrate lmdb-to-postgres',
    options: '--from DIR --to URL [--json]',
    summary: 'Copy the runs-db of a stopped server into an empty database',
    notes: 'Afterwards svc serve refuses the source.',
  },
  {
    name: 'migrate postgres-to-lmdb',
    options: '--from URL --to DIR [--json]',
    summary: 'Copy a database into a new runs-db',
    notes: 'Afterwards svc serve refuses the source.',
  },
  {
    name: 'migrate undo',
    options: '--from DIR|URL',
    summary: 'Undo a migration, so that the source can be served again',
  },
  {
    name: 'plugins list',
    options: '[--config F] [--runs-db DIR|URL] [--json]',
    summary: 'List installed plugins, and whether each is used, unused or refused',
  },
  {
    name: 'plugins pin',
    options: '[--config F] [--json]',
    summary: 'Pin third-party plugins in the configuration',
    notes: 'After that, the gateway loads only the pinned packages.',
  },
  {
    name: 'plugins new',
    options: 'guard|provider|exporter NAME',
    summary: 'Create a plugin package with a test in the folder NAME',
  },
  {
    name: 'reference',
    options: 'configuration|events [KEY]',
    summary: 'Print every configuration key, or every event, as Markdown',
    notes: 'With KEY, such as server.tls, prints only that part.',
  },
  {
    name: 'completion',
    options: 'bash|zsh|fish',
    summary: 'Print a completion script for a shell',
    notes: 'For bash: source <(svc completion bash).',
  },
  { name: 'openapi', options: '', summary: 'Print openapi.json' },
  { name: '--version', options: '', summary: 'Print the version' },
];

const EXIT_CODES = 'Exit codes: 0 success, 1 failure, 2 usage error.';
const VERIFY_EXIT_CODES =
  'Exit codes of verify and verify-proof: 0 valid and signed by a given key, 1 not verified, 2 usage error, 3 valid but self-attested only, 4 broken.';
const DEFAULTS = '--config defaults to svc.yaml, --server to http://127.0.0.1:8000.';
const NAME_WIDTH = Math.max(...COMMANDS.map(({ name }) => name.length)) + 'svc '.length;

/** The usage of the commands in a group (`ledger`). Without such a group, the list of commands. */
export function helpOf(group?: string): string {
  const asked = COMMANDS.filter(({ name }) => name === group || name.startsWith(`${group} `));
  if (asked.length === 0) return overview();
  const end = `${DEFAULTS} ${group === 'ledger' ? VERIFY_EXIT_CODES : EXIT_CODES}`;
  return `${[...asked.map(usageOf), paragraph(end, 0)].join('\n\n')}\n`;
}

function overview(): string {
  const list = COMMANDS.map(({ name, summary }) => `  ${`svc ${name}`.padEnd(NAME_WIDTH)}  ${summary}`);
  const end = `svc COMMAND --help shows the options of a command. ${EXIT_CODES}`;
  return `svc: the governed model gateway\n\n${list.join('\n')}\n\n${paragraph(end, 0)}\n`;
}

function usageOf({ name, options, summary, notes }: Command): string {
  // An option stays on the same line as its value.
  const usage = wrapped(`svc ${name} ${options}`.trim().split(/ (?=\[|--|\()/), 0, 4);
  return [usage, paragraph(`${summary}.`, 2), ...(notes === undefined ? [] : [paragraph(notes, 2)])].join('\n');
}

function paragraph(text: string, indent: number): string {
  return wrapped(text.split(' '), indent, indent);
}

/** The parts in lines of at most {@link WIDTH} columns. The first line is indented by `first`, and the others by `rest`. */
function wrapped(parts: readonly string[], first: number, rest: number): string {
  const lines: string[] = [];
  let line = ' '.repeat(first);
  for (const part of parts) {
    const joined = line.trim() === '' ? line + part : `${line} ${part}`;
    if (joined.length <= WIDTH) line = joined;
    else {
      lines.push(line);
      line = ' '.repeat(rest) + part;
    }
  }
  return [...lines, line].join('\n');
}
