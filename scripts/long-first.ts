import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Long test files that look short, as they have few lines, or wait for the network. A clone without Vitest's cache would start the files by size, so
 * that these would run last, and alone.
 */
const LONG = [
  'plugins/guard-pii/src/conformance',
  'plugins/guard-secrets/src/conformance',
  'plugins/store-lmdb/src/conformance',
  'plugins/store-postgres/src/conformance',
  'test/clients/litellm-proxy',
  'test/clients/litewitness',
  'test/clients/pii-leak',
  'test/clients/presidio',
  'test/clients/pypi',
  'test/e2e/generated-clients',
  'test/e2e/notices-workers',
  'test/e2e/outside',
  'test/e2e/python-client',
  'test/e2e/workers',
  'test/fault/ending',
  'test/fault/kill',
  'test/fault/power-loss',
  'test/property/store-postgres',
  'test/providers/conformance',
  'test/tutorials/deploy',
].map((name) => `/${name}`);

/** Starts long files first, so that no worker is left with one at the end. */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((name) => moduleId.includes(name));
    // A project's files stay together: a worker runs those of one project.
    return [...Map.groupBy(sorted, ({ project }) => project.name).values()].flatMap((ofProject) => [
      ...ofProject.filter(isLong),
      ...ofProject.filter((file) => !isLong(file)),
    ]);
  }
}
