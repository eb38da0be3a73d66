const TITLE = 'svc: the governed model gateway';
const WIDTH = 100;

/** Usage of each command, and what it does. */
const COMMANDS: readonly (readonly [usage: string, text: string])[] = [
  ['svc init [--config F] [--json]', 'write a commented configuration and two new keys: for a caller and an approver'],
  [
    'svc serve [--config F] [--host H] [--port N] [--no-auth [--allow-host NAME]..] [--runs-db DIR|URL] [--demo] [--accept-clock]',
    'start the gateway; --runs-db stores runs, approvals and evidence in a folder or in PostgreSQL (postgres://); --demo limits each visitor to 30 requests a minute; --accept-clock starts once even if the newest ledger record is later than the clock; --allow-host adds a permitted Host for --no-auth, required beyond the loopback',
  ],
  [
    'svc start [--config F] …',
    'run init if there is no configuration, then serve with a runs-db next to it; takes the options of serve; npm start runs this',
  ],
  ['svc lint [FILE] [--json]', 'check a configuration, svc.yaml unless FILE is given (exit code 1 on errors)'],
  [
    'svc apply [--server URL] [--dry-run] [--reason R] [--json]',
    'reload the configuration file of a running server (API key with the role admin in SVC_KEY); --dry-run shows what would change',
  ],
  [
    'svc keys new PRINCIPAL [--role R].. [--json]',
    'create an API key and print its configuration entry; its role is call unless others are given',
  ],
  [
    'svc keys create PRINCIPAL [--server URL] --role R.. [--route R].. [--namespace N].. [--team T] [--expires-at TIME] [--reason TEXT] [--json]',
    'create a key on a running server, for some roles, routes and namespaces of retrieval (API key with the role admin in SVC_KEY); the key is printed once',
  ],
  ['svc keys list [--server URL] [--json]', 'list the keys that were created on a running server, and when they were last used'],
  [
    'svc keys rotate ID [--server URL] [--overlap-s N] [--expires-at TIME] [--reason TEXT] [--json]',
    'replace a key; the old one stays valid for N seconds, a day by default',
  ],
  ['svc keys revoke ID [--server URL] [--reason TEXT] [--json]', 'revoke a key, at every gateway of the store'],
  [
    'svc plugins list [--config F] [--runs-db DIR|URL] [--json]',
    'list installed plugins: used, unused or refused; --runs-db as for svc serve',
  ],
  ['svc plugins pin [--config F] [--json]', 'pin your own plugins in the configuration; only pinned packages load afterwards'],
  ['svc plugins new guard|provider|exporter NAME', 'create a plugin package with a test in the folder NAME'],
  ['svc scan [--config F] [--pack NAME]', 'run a pack on texts: JSON lines {"text"} in, one JSON line out for each'],
  [
    'svc ledger verify SOURCE [--checkpoint FILE].. [--key VKEY].. [--json]',
    'verify a ledger: a runs-db (folder or postgres://), a JSON Lines file, or a server (http://, API key in SVC_KEY); against checkpoints if given',
  ],
  [
    'svc ledger verify-proof FILE [--key VKEY].. [--json]',
    'verify offline, from a proof file, that a record is in a signed ledger',
  ],
  ['svc ledger keys [--server URL] [--json]', 'print the public keys that a server signs its ledger with (API key in SVC_KEY)'],
  [
    'svc rag index FILE --namespace N [--server URL] [--json]',
    'index a JSON Lines file {"text","metadata"} on a running server (API key in SVC_KEY)',
  ],
  [
    'svc rag erase NAMESPACE [--server URL] [--reason R] [--json]',
    'delete all documents of a namespace and destroy the key of their texts, on a running server (API key in SVC_KEY)',
  ],
  [
    'svc migrate lmdb-to-postgres --from DIR --to URL [--json]',
    'copy the runs-db of a stopped server into an empty database, or postgres-to-lmdb; the source is then marked as migrated, and serve refuses it',
  ],
  ['svc migrate undo --from DIR|URL', 'undo a migration: the source can be served again'],
  [
    'svc backup DIR [--runs-db DIR|URL] [--json]',
    'copy a runs-db into a new folder and verify the copy; the server may be running; --runs-db defaults to runs-db',
  ],
  [
    'svc runs erase RUN_ID (--server URL | --runs-db DIR|URL [--config F]) [--reason R] [--json]',
    'erase the content of a run permanently, keeping its evidence; through a running server (API key in SVC_KEY) or in the runs-db of a stopped one',
  ],
  [
    'svc runs erase --all --runs-db DIR|URL [--config F] [--reason R] [--json]',
    'erase all runs of a stopped server; works without the content key',
  ],
  [
    'svc stop route|provider|guard|principal NAME [--state disabled|read_only|approval_required] [--reason R] [--server URL] [--json]',
    'put something out of use while the gateway runs (API key in SVC_KEY, role admin); a guard needs a reason; routes alone have the other states',
  ],
  ['svc allow route|provider|guard|principal NAME [--reason R] [--server URL] [--json]', 'undo svc stop'],
  ['svc states [--server URL] [--json]', 'list everything stopped or restricted'],
  [
    'svc reference configuration|events [KEY]',
    'print every key of the configuration, or every event with its fields, as Markdown; with KEY, such as server.tls, only that part',
  ],
  ['svc openapi', 'print openapi.json'],
  ['svc --version', 'print the release'],
];

const END = [
  '--config defaults to svc.yaml, --server to http://127.0.0.1:8000. -h or --help after a command shows its usage.',
  'Exit codes: 0 success, 1 failure, 2 usage error. For ledger verify and verify-proof: 0 valid and signed by a given key, 1 could not be verified, 3 valid but self-attested only, 4 broken.',
];

/** All commands, or those of a group (`ledger`); all if there is no such group. */
export function helpOf(group?: string): string {
  const asked = COMMANDS.filter(([usage]) => usage.startsWith(`svc ${group} `));
  const list = (asked.length === 0 ? COMMANDS : asked).map(
    // An option stays on one line with its value.
    ([usage, text]) => `${wrapped(usage.split(/ (?=\[|--|\()/), 2, 8)}\n${wrapped(text.split(' '), 6, 6)}`,
  );
  return `${[TITLE, list.join('\n'), END.map((line) => wrapped(line.split(' '), 0, 0)).join('\n')].join('\n\n')}\n`;
}

/** The parts in lines of at most {@link WIDTH} columns; the first line is indented by `first`, the others by `rest`. */
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
