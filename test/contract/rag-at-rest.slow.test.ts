import { randomBytes } from 'node:crypto';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { PgvectorServer } from '../../plugins/vectors-pgvector/src/pgvector-server.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { ragConfig, start } from './rag-gateway.ts';

const TEXT = 'The unspeakable kitchen is cleaned on Fridays.';
const documents = [{ text: TEXT, metadata: { shelf: 'in-the-clear' } }];
/** Older copies of the store are to be served. */
const UNPINNED = { ledger: { pinned_checkpoint_file: false } };

const index = (gateway: TestGateway) => gateway.post('/v1/rag/index', { namespace: 'n', documents });
const query = (gateway: TestGateway) => gateway.post('/v1/rag/query', { namespace: 'n', query: 'kitchen' });
const erase = (gateway: TestGateway) => gateway.request('DELETE', '/v1/rag/namespaces/n');
const textsOf = ({ body }: { body: { docs: { text: string }[] } }) => body.docs.map(({ text }) => text);

/** Every byte that a gateway has written below its folder. */
async function onDisk(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
}

/** For the next start, with the keys of the principals. */
async function reconfigure(gateway: TestGateway, config: JsonObject): Promise<void> {
  const { auth } = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
  await gateway.configure({ ...config, auth });
}

it('no file contains the text of a document; metadata is unencrypted', async () => {
  const gateway = await start({ config: ragConfig() });
  await index(gateway);
  expect(textsOf(await query(gateway))).toEqual([TEXT]);
  await gateway.stop();
  const bytes = await onDisk(gateway.folder);
  for (const form of ['utf8', 'base64', 'hex'] as const)
    expect(bytes.includes(Buffer.from(TEXT).toString(form).slice(0, 24))).toBe(false);
  expect(bytes.includes('unspeakable')).toBe(false);
  expect(bytes.includes('in-the-clear')).toBe(true);
  await gateway.launch();
  expect(textsOf(await query(gateway))).toEqual([TEXT]);
});

it('indexing again writes nothing', async () => {
  const gateway = await start({ config: ragConfig() });
  const file = () => readFile(join(gateway.folder, 'runs-db.rag', 'vectors', 'svc-n.vectors'));
  await index(gateway);
  const before = await file();
  await index(gateway);
  expect((await file()).equals(before)).toBe(true);
});

it('an erased namespace is empty, unreadable in an earlier copy, and accepts documents again', async () => {
  const gateway = await start({ config: ragConfig({}, UNPINNED) });
  const at = (name: string) => join(gateway.folder, name);
  await index(gateway);
  await gateway.stop();
  for (const name of ['runs-db', 'runs-db.rag']) await cp(at(name), at(`copy-${name}`), { recursive: true });
  await gateway.launch();
  expect((await erase(gateway)).body).toEqual({ namespace: 'n', deleted: 1, backups_unreadable: true });
  expect((await query(gateway)).body.docs).toEqual([]);
  expect((await erase(gateway)).body).toEqual({ namespace: 'n', deleted: 0, backups_unreadable: false });
  await index(gateway);
  expect(textsOf(await query(gateway))).toEqual([TEXT]);
  await gateway.stop();
  for (const name of ['runs-db', 'runs-db.rag']) {
    await rm(at(name), { recursive: true });
    await cp(at(`copy-${name}`), at(name), { recursive: true });
  }
  await gateway.launch();
  const refused = { status: 410, body: { code: 'SVC-RAG-003' } };
  expect(await query(gateway)).toMatchObject(refused);
  expect(await index(gateway)).toMatchObject(refused);
  expect((await erase(gateway)).body.deleted).toBe(1);
  await index(gateway);
  expect(textsOf(await query(gateway))).toEqual([TEXT]);
});

it('a guard that finds unreadable documents fails closed, and so does the run', async () => {
  const gateway = await start({ config: ragConfig({}, UNPINNED) });
  await gateway.post('/v1/rag/index', { namespace: 'handbook', documents });
  await gateway.stop();
  // Documents without their store: a folder put back alone.
  for (const name of ['runs-db', 'runs-db.key']) await rm(join(gateway.folder, name), { recursive: true, force: true });
  await gateway.launch();
  const { body } = await gateway.chat('kitchen', { model: 'asked' });
  expect(body.choices[0].finish_reason).toBe('content_filter');
});

it('an exchange of the content key takes the keys of namespaces along', async () => {
  const env = { FIRST: randomBytes(32).toString('hex'), SECOND: randomBytes(32).toString('hex') };
  const using = (...names: string[]) => {
    const [content_key = '', ...older_content_keys] = names.map((name) => `secret://env/${name}#value`);
    return ragConfig({}, { store: { content_key, older_content_keys } });
  };
  const gateway = await start({ config: using('FIRST'), env });
  await index(gateway);
  await gateway.stop();
  await reconfigure(gateway, using('SECOND', 'FIRST'));
  await gateway.launch();
  await gateway.until((output) => (/"event":"content_rewrapped",.*"left":0,"namespaces":1/.test(output) ? true : undefined));
  await gateway.stop();
  await reconfigure(gateway, using('SECOND'));
  await gateway.launch();
  expect(textsOf(await query(gateway))).toEqual([TEXT]);
  expect((await erase(gateway)).body).toEqual({ namespace: 'n', deleted: 1, backups_unreadable: false });
});

it('pgvector contains no text, and an erasure leaves no row', async () => {
  const server = await PgvectorServer.start();
  onTestFinished(() => server.stop());
  const gateway = await start({ config: ragConfig({ vectors: { type: 'pgvector', url: server.url } }) });
  await index(gateway);
  expect(textsOf(await query(gateway))).toEqual([TEXT]);
  const rows = () => server.sql('SELECT text, metadata FROM svc_rag_documents');
  expect(await rows()).toEqual([{ text: expect.stringMatching(/^svc-sealed:1:/), metadata: { shelf: 'in-the-clear' } }]);
  expect((await erase(gateway)).body).toMatchObject({ deleted: 1, backups_unreadable: true });
  expect(await rows()).toEqual([]);
  await gateway.stop();
});
