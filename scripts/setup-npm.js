import { spawn } from 'node:child_process';

const QUIET = ['--engine-strict=false', '--loglevel=error', '--no-audit', '--no-fund', '--no-progress'];

/**
 * Runs the npm that runs this script, or else the machine's. Its errors are shown.
 * @throws {Error} if it fails
 */
export function npm(args, cwd) {
  const { npm_execpath, npm_node_execpath } = process.env;
  const [command, ...before] = npm_execpath === undefined ? ['npm'] : [npm_node_execpath ?? process.execPath, npm_execpath];
  const child = spawn(command, [...before, ...args, ...QUIET], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`npm cannot be started: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(
            `npm ${args[0]} ended with ${signal ?? code}: check the network and the disk, then run the same command again`,
          ),
        );
    });
  });
}
