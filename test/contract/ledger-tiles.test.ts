import {
  entriesIn,
  hashesInTile,
  isSameHash,
  leafOf,
  openNote,
  parseCheckpoint,
  TILE_WIDTH,
  type TilePlace,
  TreeHash,
  tilePath,
  widthIn,
} from '@svc/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const RUNS = 270;
const PREFIX = '/v1/audit/ledger';
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig(),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'carol', roles: ['call'] },
      { principal_id: 'dan', roles: ['audit'], routes: ['default'] },
    ],
  });
  for (let run = 0; run < RUNS; run += 30) await Promise.all(Array.from({ length: 30 }, () => gateway.chat('hello')));
});
afterAll(() => gateway.dispose());

async function checkpointOf(prefix: string) {
  return parseCheckpoint(openNote((await gateway.get(`${prefix}/checkpoint`)).text, []).text);
}

function ask(path: string, who: string | null = 'alice', headers: Record<string, string> = {}): Promise<Response> {
  const authorization: Record<string, string> = who === null ? {} : { authorization: `Bearer ${gateway.key(who)}` };
  return fetch(`${gateway.url}${path}`, { headers: { ...authorization, ...headers } });
}

async function bytesAt(prefix: string, place: TilePlace): Promise<Uint8Array> {
  const response = await ask(`${prefix}/${tilePath(place)}`);
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

describe.each([PREFIX, '/v1/audit/operations'])('GET %s/tile/…', (prefix) => {
  it('gives the tree of the checkpoint: entries, their leaves, and the tiles above', async () => {
    const { size, root } = await checkpointOf(prefix);
    const tree = new TreeHash();
    for (let index = 0; widthIn(size, 0, index) > 0; index++) {
      const width = widthIn(size, 0, index);
      const entries = entriesIn(await bytesAt(prefix, { level: 'entries', index, width })) ?? [];
      const leaves = hashesInTile(await bytesAt(prefix, { level: 0, index, width })) ?? [];
      expect(entries).toHaveLength(width);
      expect(entries.every((entry, at) => isSameHash(leafOf(entry), leaves[at] ?? new Uint8Array()))).toBe(true);
      for (const entry of entries) tree.append(entry);
    }
    expect(isSameHash(tree.root(), root)).toBe(true);
    const upper = widthIn(size, 1, 0);
    expect(upper).toBe(Math.floor(size / TILE_WIDTH));
    if (upper === 0) return;
    const first = new TreeHash();
    for (const entry of entriesIn(await bytesAt(prefix, { level: 'entries', index: 0, width: TILE_WIDTH })) ?? [])
      first.append(entry);
    expect(hashesInTile(await bytesAt(prefix, { level: 1, index: 0, width: upper }))?.[0]).toEqual(first.root());
  });
});

describe('a tile of the ledger', () => {
  it('never changes, also a partial one of an earlier size, and may be cached', async () => {
    const early = await ask(`${PREFIX}/tile/0/000.p/17`);
    expect(early.headers.get('content-type')).toBe('application/octet-stream');
    expect(early.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const full = await bytesAt(PREFIX, { level: 0, index: 0, width: TILE_WIDTH });
    expect(new Uint8Array(await early.arrayBuffer())).toEqual(full.subarray(0, 17 * 32));
  });

  it('is compressed only if it has entries and the client takes gzip', async () => {
    const gzip = { 'accept-encoding': 'gzip, identity' };
    expect((await ask(`${PREFIX}/tile/0/000`, 'alice', gzip)).headers.get('content-encoding')).toBeNull();
    const bundle = await ask(`${PREFIX}/tile/entries/000`, 'alice', gzip);
    expect(bundle.headers.get('content-encoding')).toBe('gzip');
    expect(bundle.headers.get('vary')).toContain('accept-encoding');
    const identity = await ask(`${PREFIX}/tile/entries/000`, 'alice', { 'accept-encoding': 'gzip;q=0, identity' });
    expect(identity.headers.get('content-encoding')).toBeNull();
    expect(new Uint8Array(await bundle.arrayBuffer())).toEqual(new Uint8Array(await identity.arrayBuffer()));
  });

  it('that does not exist is 404, and is not cached', async () => {
    const { size } = await checkpointOf(PREFIX);
    const beyond = widthIn(size, 0, 1) + 1;
    const paths = [`0/001.p/${beyond}`, '0/001', '0/002', '1/000', '5/000.p/1', '6/000.p/1', '63/000.p/1', 'entries/001'];
    const odd = [
      '00/000',
      '0/0',
      '0/000.p/256',
      '0/000.p/0',
      '0/000.p/01',
      '0/x000/000',
      '0/1000',
      '-1/000',
      'x',
      '0/000/x',
      'a%2f',
    ];
    for (const path of [...paths, ...odd]) {
      const response = await ask(`${PREFIX}/tile/${path}`);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toMatchObject({ code: 'SVC-REQ-003' });
    }
  });

  it('is for auditors, also of single routes, because it has hashes only', async () => {
    for (const [who, status] of [
      ['carol', 403],
      [null, 401],
      ['dan', 200],
    ] as const)
      expect((await ask(`${PREFIX}/tile/0/000`, who)).status).toBe(status);
    expect((await ask('/v1/audit/operations/tile/0/000.p/1', 'dan')).status).toBe(403);
  });
});

it('with ledger.public_tiles, the checkpoint and the tiles of the ledger need no key; nothing else changes', async () => {
  const open = await TestGateway.start({ here: true, config: echoConfig({ ledger: { public_tiles: true } }) });
  const read = (path: string) => fetch(`${open.url}${path}`);
  try {
    await open.chat('hello');
    expect((await read(`${PREFIX}/checkpoint`)).status).toBe(200);
    const tile = await read(`${PREFIX}/tile/entries/000.p/1`);
    expect([tile.status, tile.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    for (const path of [
      PREFIX,
      `${PREFIX}/keys`,
      `${PREFIX}/proof?seq=1`,
      '/v1/audit/operations/tile/0/000.p/1',
      '/v1/audit/operations/checkpoint',
    ])
      expect((await read(path)).status).toBe(401);
  } finally {
    await open.dispose();
  }
});
