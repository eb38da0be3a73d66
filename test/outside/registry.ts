import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import type { Packed } from './packed.ts';

export interface Registry {
  /** For npm: packages of our scope come from here, all others from where they always do. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
}

/** A registry that has the packed packages, as if they were published. */
export async function serveRegistry(packed: readonly Packed[]): Promise<Registry> {
  const server = createServer(({ url = '' }, response) => {
    const path = decodeURIComponent(url).slice(1);
    const asPackage = packed.find(({ name }) => name === path);
    const asFile = packed.find(({ tarball }) => basename(tarball) === path);
    if (asPackage !== undefined) response.end(JSON.stringify(packument(asPackage, `http://${response.req.headers.host}`)));
    else if (asFile !== undefined) response.end(readFileSync(asFile.tarball));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { env: { 'npm_config_@svc:registry': `http://127.0.0.1:${port}/` }, close: () => server.close() };
}

function packument({ name, folder, tarball }: Packed, url: string): object {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const version = { ...manifest, dist: { tarball: `${url}/${basename(tarball)}`, integrity } };
  return { name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version } };
}
