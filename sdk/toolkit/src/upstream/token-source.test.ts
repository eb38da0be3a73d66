import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TokenSource } from './token-source.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-token-'));
});
afterAll(() => rm(directory, { recursive: true }));

const { signal } = new AbortController();

function source(options: Parameters<typeof TokenSource.of>[0]): TokenSource {
  const tokens = TokenSource.of(options);
  if (tokens === undefined) throw new Error('no source');
  return tokens;
}

async function file(text: string): Promise<string> {
  const path = join(directory, crypto.randomUUID());
  await writeFile(path, text);
  return path;
}

describe('a token of a file', () => {
  test('shared by several calls is refused permanently only if it was read again', async () => {
    const token_file = await file('one');
    const tokens = source({ token_file });
    const [a, b] = [await tokens.token(signal), await tokens.token(signal)];
    expect([tokens.refused(a), tokens.refused(b)]).toEqual([true, true]);
    expect(tokens.refused(await tokens.token(signal))).toBe(false);
    await writeFile(token_file, 'two');
    expect(tokens.refused(await tokens.token(signal))).toBe(true);
  });

  test('is read again after its time, and at once after a refusal', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const token_file = await file('one\n');
      const tokens = source({ token_file, token_refresh_s: 5 });
      expect(await tokens.token(signal)).toBe('one');
      await writeFile(token_file, 'two');
      now.mockReturnValue(4_999);
      expect(await tokens.token(signal)).toBe('one');
      now.mockReturnValue(5_000);
      expect(await tokens.token(signal)).toBe('two');
      await writeFile(token_file, 'three');
      tokens.refused('one');
      expect(await tokens.token(signal)).toBe('two');
      tokens.refused('two');
      expect(await tokens.token(signal)).toBe('three');
    } finally {
      now.mockRestore();
    }
  });

  test('that cannot be read fails the call as configuration, unpaid, and is tried again', async () => {
    const token_file = join(directory, 'late');
    const tokens = source({ token_file });
    await expect(tokens.token(signal)).rejects.toMatchObject({ kind: 'configuration', cost: 'none' });
    await writeFile(token_file, 'there');
    expect(await tokens.token(signal)).toBe('there');
  });

  test.each(['', ' \n', 'two words', 'line\nline'])('that is %j fails without revealing it', async (text) => {
    const tokens = source({ token_file: await file(text) });
    await expect(tokens.token(signal)).rejects.toMatchObject({
      kind: 'configuration',
      cause: 'a token with characters that a header cannot contain',
    });
  });
});

describe('a token of a command', () => {
  const print = (script: string) => [process.execPath, '-e', script];

  test('is its output; concurrent calls share one run', async () => {
    const path = await file('');
    const script = `require('fs').appendFileSync(${JSON.stringify(path)}, 'x'); console.log(require('fs').readFileSync(${JSON.stringify(path)}, 'utf8'))`;
    const tokens = source({ token_command: print(script) });
    expect(await Promise.all([tokens.token(signal), tokens.token(signal)])).toEqual(['x', 'x']);
  });

  test('that fails reveals nothing of its output', async () => {
    const tokens = source({ token_command: print("console.log('s3cret'); process.exit(1)") });
    const error = await tokens.token(signal).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'configuration', cost: 'none' });
    expect(String(error instanceof Error && error.cause)).not.toContain('s3cret');
  });

  test('is not waited for by a call that was aborted', async () => {
    const controller = new AbortController();
    const tokens = source({ token_command: print('process.stdin.resume()') });
    const waiting = tokens.token(controller.signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(tokens.token(signal)).rejects.toMatchObject({ kind: 'configuration' });
  });

  test('that reads its input finds it empty, and continues', async () => {
    const tokens = source({ token_command: print("process.stdin.resume().on('end', () => console.log('over'))") });
    expect(await tokens.token(signal)).toBe('over');
  });

  test('that does not end is killed', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const tokens = source({ token_command: print(`require('net').connect(${port}, '127.0.0.1')`) });
      const waiting = tokens.token(signal);
      const [connection] = await once(server, 'connection');
      if (!(connection instanceof Socket)) throw new Error('no connection');
      const closed = once(connection.resume(), 'close');
      vi.advanceTimersByTime(20_000);
      await expect(waiting).rejects.toMatchObject({ kind: 'configuration', cause: 'the token file or token command failed' });
      await closed;
    } finally {
      vi.useRealTimers();
      server.close();
    }
  });
});
