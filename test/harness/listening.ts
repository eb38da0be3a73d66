/** The URL in a `listening` log line. */
export function listeningUrl(line: string): string | undefined {
  return /"event":"listening","url":"([^"]+)"/.exec(line)?.[1];
}
