const HELP = `svc: the governed model gateway

  svc init [--config F] [--json]            write a commented configuration and a new key
  svc serve [--config F] [--host H] [--port N] [--no-auth [--allow-host NAME]..] [--runs-db DIR|URL]
            [--demo] [--accept-clock]
                                            serve; --runs-db keeps runs, approvals and evidence, in a folder or in postgres://;
                                            --demo gives each visitor 30 requests a minute; --accept-clock starts once although
                                            the ledger's newest record is newer than this machine's clock;
                                            --allow-host names what Host may say with --no-auth, needed beyond the loopback
  svc start [--config F] …                  what npm start does: init where that was not done, then serve with a runs-db beside
                                            the configuration; options as of serve
  svc lint [--config F] [--json]
                                            check a configuration (exit code 1 on errors)
  svc keys new PRINCIPAL [--json]           make an API key and its configuration line
  svc plugins list [--config F] [--json]
                                            what was found, used, unused or refused
  svc plugins pin [--config F] [--json]
                                            write the pins of your own plugins into the configuration: nothing else loads then
  svc plugins new guard|provider|exporter NAME
                                            begin a plugin package of your own, with its test, in a folder NAME
  svc scan [--config F] [--pack NAME]       what a pack finds in texts: {"text"} in, a line of JSON each
  svc ledger verify SOURCE [--checkpoint FILE].. [--key VKEY].. [--json]
                                            check a ledger: a runs-db (a folder or postgres://), a file of JSON lines,
                                            or a server (http://, its key in SVC_KEY); beside checkpoints that were kept
  svc ledger verify-proof FILE [--key VKEY].. [--json]
                                            check that a record is in a signed ledger, from a proof file alone
  svc ledger keys URL [--json]              the public keys that a server (its key in SVC_KEY) signs its ledger with
  svc rag index FILE --namespace N [--url URL] [--json]
                                            index a file of JSON lines {"text","metadata"} on a running server (its key in SVC_KEY);
                                            --url is http://127.0.0.1:8000 unless given
  svc migrate lmdb-to-postgres --from DIR --to URL [--json]
                                            copy the runs-db of a stopped server into an empty database; or postgres-to-lmdb.
                                            From then on the source is marked as moved, and not served any more
  svc migrate take-back --from DIR|URL      take that mark away, where the copy is given up
  svc backup DIR [--runs-db DIR|URL] [--json]
                                            copy a runs-db, of a server that runs or not, into a new folder, and check the copy;
                                            --runs-db is runs-db unless given
  svc runs erase RUN_ID (--server URL | --runs-db DIR|URL [--config F]) [--json]
                                            delete the content of a run for good; its evidence stays. Through the server that has
                                            it (its key in SVC_KEY), or at the runs-db of a stopped one
  svc runs erase --all --runs-db DIR|URL [--config F] [--json]
                                            the same for all runs of a stopped server, also where its content key is lost
  svc openapi                               print openapi.json
  svc --version

--config is svc.yaml unless given. Exit codes: 0 well, 1 refused, 2 misused; of ledger verify and verify-proof: 0 whole and as a given
key signed it, 3 whole by itself only (self-attested), 4 broken, and 1 where it could not be checked.
`;

/** All commands, or those of a group (`ledger`) alone; all where it has none. */
export function helpOf(group?: string): string {
  const [title = '', list = '', end = ''] = HELP.split('\n\n');
  const asked = list.split(/\n(?= {2}svc )/).filter((command) => command.startsWith(`  svc ${group} `));
  return asked.length === 0 ? HELP : [title, asked.join('\n'), end].join('\n\n');
}
