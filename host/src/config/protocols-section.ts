import type { ProtocolPlugin } from '@svc/contracts';
import { protocolsWith } from '@svc/protocols';
import { Type } from 'typebox';
import { createPlugin } from './create-plugin.ts';
import type { Path } from './diagnostic.ts';
import type { ProviderNode } from './providers-section.ts';
import type { ReadContext, Reader } from './reader.ts';
import type { Report } from './report.ts';
import { sectionOf } from './sections.ts';

export const ProtocolSchema = Type.Object(
  { type: Type.String({ minLength: 1, description: 'The protocol plugin: `gemini`, …' }) },
  {
    additionalProperties: true,
    description:
      "A protocol plugin. The gateway serves its paths, and providers may use it. All other keys are options of the plugin. OpenAI's and Anthropic's protocols are built in; do not list them.",
  },
);

/** The section `protocols`. */
export interface ProtocolsPart {
  /** Protocols in addition to those of `@svc/protocols`. */
  readonly protocols: readonly ProtocolPlugin[];
}

/** The prefix of the gateway's own paths. */
const OWN = '/v1/';
const PREFIX = /^\/(?:[\w.-]+\/)+$/;

/** Creates the protocols. Errors are reported. */
export const readProtocols: Reader<ProtocolsPart> = async (section, context) => {
  const protocols = context.former?.protocols ?? (await makeProtocols(section, context));
  lintProtocols(context.parts.providers ?? new Map(), protocols, context.report);
  return { protocols };
};

async function makeProtocols(section: unknown, context: ReadContext): Promise<ProtocolPlugin[]> {
  const made: ProtocolPlugin[] = [];
  for (const [position, protocol] of sectionOf(ProtocolSchema, section).repaired) {
    const path = ['protocols', Number(position)];
    const created = await createPlugin('protocol', protocol.type, protocol, path, context);
    if (created === null) continue;
    const fault = faultOf(created.instance, made);
    if (fault === null) made.push(created.instance);
    else context.report.error('SVC-POL-001', path, `${protocol.type} ${fault}`);
  }
  return made;
}

/** Why a protocol cannot be served together with the others, or null. */
function faultOf({ protocol, door }: ProtocolPlugin, others: readonly ProtocolPlugin[]): string | null {
  if (protocolsWith(others.map((other) => other.protocol)).has(protocol.id))
    return `provides the protocol ${protocol.id}, which the gateway already has: remove one of them`;
  if (door === null) return null;
  const taken = others.flatMap((other) => other.door?.prefixes ?? []);
  const isFree = (prefix: string): boolean =>
    PREFIX.test(prefix) && !OWN.startsWith(prefix) && taken.every((path) => !prefix.startsWith(path) && !path.startsWith(prefix));
  const fault = door.prefixes.find((prefix) => !isFree(prefix));
  return fault === undefined ? null : `cannot serve ${fault}: the prefix is in use, or is not a path such as /v1beta/models/`;
}

/** SVC-POL-002: providers whose protocol no plugin describes. */
function lintProtocols(providers: ReadonlyMap<string, ProviderNode>, protocols: readonly ProtocolPlugin[], report: Report): void {
  const known = protocolsWith(protocols.map(({ protocol }) => protocol));
  for (const [name, { type, instance }] of providers) {
    const unknown = instance.protocols?.find((id) => !known.has(id));
    if (unknown === undefined) continue;
    const path: Path = ['providers', name];
    const what = `${type} needs the protocol ${unknown}, which no configured plugin provides: add that plugin under protocols`;
    report.error('SVC-POL-002', path, what, { at: 'key' });
  }
}
