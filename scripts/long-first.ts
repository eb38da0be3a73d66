import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Long test files that look short, as they have few lines, or wait for the network, about the longest first. A clone without Vitest's cache would start
 * the files by size, so that these would run last, and alone.
 */
const LONG = [
  'test/soak/soak',
  'test/e2e/outside',
  'test/property/guard-time',
  'test/clients/pii-leak',
  'test/bench/bench',
  'test/command/evidence-pack-memory',
  'test/contract/timestamps',
  'test/tutorials/image',
  'test/fault/ending',
  'test/fault/erase-kill',
  'test/fault/kill',
  'test/e2e/workers',
  'test/e2e/notices-workers',
  'test/clients/pypi',
  'test/clients/litewitness',
  'test/clients/litellm-proxy',
  'test/e2e/python-client',
  'test/e2e/generated-clients',
  'test/fault/sink-backlog',
  'plugins/store-postgres/src/conformance',
  'plugins/store-lmdb/src/conformance',
  'plugins/guard-pii/src/conformance',
  'plugins/guard-secrets/src/conformance',
  'test/fault/stalled-readers',
  'test/fault/first-byte',
  'test/fault/power-loss',
  'test/fault/many-erasures',
  'test/clients/presidio',
  'test/clients/sessions',
  'test/e2e/page-docs',
  'test/e2e/page-pack',
  'test/property/store-postgres',
  'test/providers/conformance',
  'test/tutorials/deploy',
].map((name) => `/${name}`);

/** Starts long files first, so that no worker is left with one at the end. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((name) => moduleId.includes(name));
      return found < 0 ? LONG.length : found;
    };
    // A project's files stay together: a worker runs those of one project.
    return [...Map.groupBy(sorted, ({ project }) => project.name).values()].flatMap((ofProject) =>
      ofProject.toSorted((one, other) => place(one) - place(other)),
    );
  }
}
