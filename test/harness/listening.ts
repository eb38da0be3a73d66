/** The URL in the log line that says that a server listens. */
export function listeningUrl(line: string): string | undefined {
  return /"event":"listening","url":"([^"]+)"/.exec(line)?.[1];
}
