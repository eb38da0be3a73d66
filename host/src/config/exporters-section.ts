import { type Exporter, isObject } from '@svc/contracts';
import { Type } from 'typebox';
import { createPlugin, type Origin } from './create-plugin.ts';
import { lintExporters, offersExporter } from './lint-exporters.ts';
import type { Reader } from './reader.ts';
import { NODE_NAME } from './schema-parts.ts';
import { sectionOf } from './sections.ts';

export const ExporterSchema = Type.Object(
  {
    type: Type.String({ minLength: 1, description: 'The exporter plugin.' }),
    name: Type.Optional(
      Type.String({ ...NODE_NAME, description: 'Unique name, under which the export position is stored. Default: the type.' }),
    ),
    from: Type.Enum(['start', 'now'], {
      default: 'start',
      description: 'Where a new exporter starts: at the first record of the ledger, or at the next new record.',
    }),
  },
  { additionalProperties: true, description: 'A destination of every ledger record.' },
);

export interface ExporterNode extends Origin {
  readonly name: string;
  readonly instance: Exporter;
  readonly from: 'start' | 'now';
}

/** The section `exporters`. */
export interface ExportersPart {
  readonly exporters: ReadonlyMap<string, ExporterNode>;
}

/** Creates the exporters. Errors are reported. */
export const readExporters: Reader<ExportersPart> = async (section, context) => {
  lintExporters(section, context);
  if (context.former !== undefined) return { exporters: context.former.exporters };
  const exporters = new Map<string, ExporterNode>();
  const taken = new Map<string, string>();
  for (const [position, exporter] of sectionOf(ExporterSchema, section).repaired) {
    if (!isObject(exporter)) continue;
    const { type, name = type, from } = exporter;
    const path = ['exporters', Number(position)];
    if (!offersExporter(context.catalogue, type)) continue;
    if (exporters.has(name)) {
      context.report.error('SVC-POL-001', path, `two exporters have the name ${name}: give each its own name`);
      continue;
    }
    const created = await createPlugin('exporter', name, exporter, path, context);
    if (created === null) continue;
    const destinations = destinationsOf(created.instance);
    const other = destinations.flatMap((destination) => taken.get(destination) ?? [])[0];
    if (other !== undefined)
      context.report.error('SVC-POL-001', path, `the exporters ${other} and ${name} write to the same place`);
    for (const destination of destinations) taken.set(destination, name);
    exporters.set(name, { ...created, name, from });
  }
  return { exporters };
};

/** Reads `destinations` with care, because an operator's exporter may return anything. */
function destinationsOf({ destinations, operations }: Exporter): readonly string[] {
  const own = Array.isArray(destinations) ? destinations.filter((one) => typeof one === 'string') : [];
  return isObject(operations) ? [...own, ...destinationsOf(operations)] : own;
}
