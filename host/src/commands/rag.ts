import { stat } from 'node:fs/promises';
import { Value } from 'typebox/value';
import { CliError } from '../errors/cli-error.ts';
import { RagErased, RagIndex } from '../http/schemas.ts';
import { printable } from '../terminal/terminal.ts';
import { readArguments, unknownCommand } from './arguments.ts';
import { answerOf, SERVER_OPTION, type ServerAnswer, withReason } from './ask-server.ts';
import { linesOf } from './ledger-lines.ts';
import { Progress } from './progress.ts';

/** Maximum documents and bytes per request, well below the default of `server.body_limit_bytes`. A document with more bytes is sent alone. */
const MAX_DOCUMENTS = 100;
const MAX_BYTES = 1_000_000;

interface Batch {
  /** Number of its first document in the file, counted from 1. */
  readonly first: number;
  readonly documents: unknown[];
  readonly bytes: number;
}

const HINTS = { refused: 'set SVC_KEY to an API key with the role rag', away: 'is the server running?' };

/** `svc rag index`, `svc rag erase`. */
export async function rag([command, ...args]: string[]): Promise<void> {
  switch (command) {
    case 'index':
      return index(args);
    case 'erase':
      return erase(args);
    default:
      throw unknownCommand('rag', command, ['svc rag index FILE --namespace N', 'svc rag erase NAMESPACE']);
  }
}

/**
 * `svc rag erase NAMESPACE [--server URL] [--reason TEXT] [--json]`: deletes all documents of a namespace and destroys its key, through a running
 * server, with the key in SVC_KEY.
 */
async function erase(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(
    args,
    { server: SERVER_OPTION, reason: { type: 'string' }, json: { type: 'boolean', default: false } },
    ['NAMESPACE'],
  );
  const [namespace = ''] = positionals;
  const { server: url, json, reason } = values;
  assertNames(namespace, 'NAMESPACE', url);
  const answer = await answerOf(url, { method: 'DELETE', path: withReason(`/v1/rag/namespaces/${namespace}`, reason) }, HINTS);
  if (!answer.ok || !Value.Check(RagErased, answer.body)) throw new CliError(detailOf(answer));
  const { deleted, backups_unreadable } = answer.body;
  const copies = backups_unreadable
    ? 'their texts in existing backups can no longer be read'
    : 'their texts in existing backups can be read until the content key is replaced (docs/rag.md)';
  process.stdout.write(
    json
      ? `${JSON.stringify(answer.body)}\n`
      : `erased ${deleted} documents in ${namespace}${deleted === 0 ? '' : `; ${copies}`}\n`,
  );
}

/**
 * `svc rag index FILE --namespace N [--server URL] [--json]`: sends the documents in a file of JSON lines `{"text", "metadata"}` to a running server,
 * with the key in SVC_KEY. An interrupted run can be repeated: documents that are indexed already are not added again.
 */
async function index(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(
    args,
    {
      namespace: { type: 'string' },
      server: SERVER_OPTION,
      json: { type: 'boolean', default: false },
    },
    ['FILE'],
  );
  const [file = ''] = positionals;
  const { namespace, server: url, json } = values;
  if (namespace === undefined) throw new CliError('missing --namespace', 2);
  assertNames(namespace, '--namespace', url);
  const { size } = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`cannot read ${file} (${error.code ?? 'unknown'})`);
  });
  const progress = new Progress(process.stderr, 'documents', { of: 'bytes', count: size });
  let indexed = 0;
  try {
    for await (const batch of batchesOf(file)) {
      await send(url, namespace, batch, file, indexed);
      indexed += batch.documents.length;
      progress.advance(batch.documents.length, batch.bytes);
    }
  } finally {
    progress.end();
  }
  process.stdout.write(json ? `${JSON.stringify({ indexed, namespace })}\n` : `indexed ${indexed} documents in ${namespace}\n`);
}

async function* batchesOf(file: string): AsyncGenerator<Batch> {
  let count = 0;
  let batch: { first: number; documents: unknown[]; bytes: number } = { first: 1, documents: [], bytes: 0 };
  for await (const lines of linesOf(file)) {
    for (const bytes of lines) {
      count += 1;
      const isFull = batch.documents.length === MAX_DOCUMENTS || batch.bytes + bytes.length > MAX_BYTES;
      if (isFull && batch.documents.length > 0) {
        yield batch;
        batch = { first: count, documents: [], bytes: 0 };
      }
      batch.documents.push(parsed(bytes, file, count));
      batch.bytes += bytes.length + 1;
    }
  }
  if (batch.documents.length > 0) yield batch;
}

function parsed(bytes: Buffer, file: string, count: number): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new CliError(`${file}: document ${count} is not JSON: write each line as {"text": "…", "metadata": {…}}`);
  }
}

async function send(url: string, namespace: string, { first, documents }: Batch, file: string, indexed: number): Promise<void> {
  const away = `${HINTS.away} ${indexed} documents are indexed`;
  const question = { method: 'POST', path: '/v1/rag/index', body: { namespace, documents } } as const;
  const answer = await answerOf(url, question, { away });
  if (answer.ok) return;
  // The server counts from the first document of the request.
  const said = detailOf(answer).replace(/body\/documents\/(\d+)/, (_, index: string) => `document ${first + Number(index)}`);
  throw new CliError(`${file}: ${said}; ${indexed} documents are indexed`);
}

/** @throws {CliError} */
function assertNames(namespace: string, what: string, url: string): void {
  if (!Value.Check(RagIndex.properties.namespace, namespace))
    throw new CliError(`${what} must be 1 to 64 letters, digits or any of . _ -, and start with a letter or digit`, 2);
  if (URL.parse(url) === null) throw new CliError(`--server ${url} is not a URL`, 2);
}

function detailOf({ status, body }: ServerAnswer): string {
  const said = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : `status ${status}`;
  return printable(status === 401 ? `${said}; ${HINTS.refused}` : said);
}
