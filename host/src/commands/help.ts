export const HELP = `svc: the governed model gateway

  svc init [--config F]                     write a commented configuration and a new key
  svc serve [--config F] [--host H] [--port N] [--no-auth] [--runs-db DIR]
                                            serve; --runs-db keeps runs, approvals and evidence
  svc lint [--config F] [--format text|json]
                                            check a configuration (exit code 1 on errors)
  svc keys new PRINCIPAL                    make an API key and its configuration line
  svc plugins list [--config F] [--format text|json]
                                            what was found, used, unused or refused
  svc scan [--config F] [--pack NAME]       what a pack finds in texts: {"text"} in, a line of JSON each
  svc ledger verify SOURCE                  check a ledger: a runs-db folder, a JSON lines file or a URL
  svc migrate lmdb-to-postgres --from DIR --to URL [--json]
                                            copy the runs-db of a stopped server into an empty database
  svc openapi                               print openapi.json
  svc --version

--config is svc.yaml unless given. Exit codes: 0 well, 1 refused, 2 misused.
`;
