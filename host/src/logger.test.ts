import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

const LOGGER = new URL('logger.ts', import.meta.url);

/** The first line is being written when the second is due: the one thread that writes is busy, as on a machine with too much to do. */
const SLOW_WRITE = `
  import { pbkdf2 } from 'node:crypto';
  import { makeLogger } from '${LOGGER}';
  const logger = makeLogger();
  let busy = true;
  pbkdf2('a', 'b', 3_000_000, 64, 'sha512', () => { busy = false; });
  logger.info({ event: 'first' });
  setTimeout(() => {
    logger.info({ event: 'last' });
    setTimeout(() => process.stderr.write(JSON.stringify({ busy })), 50);
  }, 50);
  setInterval(() => {}, 60_000);
`;

it('writes the last line also where the write before it is still under way when it is due, and nothing comes after it', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SLOW_WRITE], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let wasBusy = '';
  child.stderr.on('data', (data: Buffer) => {
    wasBusy += data.toString();
  });
  try {
    const events: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const { event } = JSON.parse(line);
      events.push(event);
      if (event === 'last') break;
    }
    expect(events).toEqual(['first', 'last']);
    expect(JSON.parse(wasBusy)).toEqual({ busy: true });
  } finally {
    child.kill('SIGKILL');
  }
});
