import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { fakeLogger } from '@svc/sdk/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Connections } from '../../plugins/store-postgres/src/connections.ts';
import { databaseUrl } from '../../plugins/store-postgres/src/database-url.ts';
import { Database } from '../../plugins/vectors-pgvector/src/database.ts';

/** A message of PostgreSQL's protocol (version 3). */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(length.length + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

/** What a backend says that an administrator ends in the moment in which it has begun. */
const GREETING = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('Z', Buffer.from('I')),
  message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')),
]);

let server: Server;
let url: string;
beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(GREETING));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `postgres://svc@127.0.0.1:${(server.address() as AddressInfo).port}/svc`;
});
afterEach(() => {
  server.close();
});

const UNREACHABLE = { name: 'StoreError', code: 'UNREACHABLE' };

it('a store connection that the server closes while opening fails its request, and nothing else', async () => {
  const connections = new Connections(databaseUrl(url), 2, fakeLogger());
  await expect(connections.read('SELECT 1')).rejects.toMatchObject(UNREACHABLE);
  await expect(connections.write('SELECT 1', [])).rejects.toMatchObject(UNREACHABLE);
  await expect(connections.transaction((tx) => tx.begin('SELECT 1'))).rejects.toMatchObject(UNREACHABLE);
  await connections.close();
});

it('the same is true of a connection to the vectors', async () => {
  const database = new Database(url, 2, fakeLogger());
  await expect(database.transaction((statements) => statements.query('SELECT 1'))).rejects.toMatchObject(UNREACHABLE);
  await database.close();
});
