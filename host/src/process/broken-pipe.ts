/** A reader that has had enough, as `head` has, is no fault: the command ends with what it has come to, and says nothing. */
export function endOnBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  // What is said there helps nobody any more, and what was asked for may still be wanted.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
