import type { ProtocolPlugin } from '@svc/contracts';
import { protocolsWith } from '@svc/protocols';
import { createPlugin, type PluginFactoryContext } from './create-plugin.ts';
import type { Path } from './diagnostic.ts';
import type { Report } from './report.ts';
import type { Secrets } from './resolve-secrets.ts';
import type { ProviderNode } from './resolved.ts';
import type { Config } from './schema.ts';
import type { Section } from './sections.ts';

/** Of the gateway's own paths. */
const OWN = '/v1/';
const PREFIX = /^\/(?:[\w.-]+\/)+$/;

/** The protocols that could be created; errors of the others are reported. */
export async function makeProtocols(
  section: Section<Config['protocols'][number]>,
  making: PluginFactoryContext & { secrets: Secrets },
): Promise<ProtocolPlugin[]> {
  const made: ProtocolPlugin[] = [];
  for (const [position, protocol] of section.repaired) {
    const path = ['protocols', Number(position)];
    const created = await createPlugin('protocol', protocol.type, protocol, path, making);
    if (created === null) continue;
    const fault = faultOf(created.instance, made);
    if (fault === null) made.push(created.instance);
    else making.report.error('SVC-POL-001', path, `${protocol.type} ${fault}`);
  }
  return made;
}

/** Null: it can be served beside the others. */
function faultOf({ protocol, door }: ProtocolPlugin, others: readonly ProtocolPlugin[]): string | null {
  if (protocolsWith(others.map((other) => other.protocol)).has(protocol.id))
    return `describes ${protocol.id}, which is known already`;
  if (door === null) return null;
  const taken = others.flatMap((other) => other.door?.prefixes ?? []);
  const isFree = (prefix: string): boolean =>
    PREFIX.test(prefix) && !OWN.startsWith(prefix) && taken.every((path) => !prefix.startsWith(path) && !path.startsWith(prefix));
  const fault = door.prefixes.find((prefix) => !isFree(prefix));
  return fault === undefined ? null : `cannot serve ${fault}: the prefix is in use, or is not a path such as /v1beta/models/`;
}

/** SVC-POL-002: providers of which nobody describes the protocol. */
export function lintProtocols(
  providers: ReadonlyMap<string, ProviderNode>,
  protocols: readonly ProtocolPlugin[],
  report: Report,
): void {
  const known = protocolsWith(protocols.map(({ protocol }) => protocol));
  for (const [name, { type, instance }] of providers) {
    const unknown = instance.protocols?.find((id) => !known.has(id));
    if (unknown === undefined) continue;
    const path: Path = ['providers', name];
    const what = `${type} needs the protocol ${unknown}, which no plugin provides; add its plugin under protocols`;
    report.error('SVC-POL-002', path, what, { at: 'key' });
  }
}
