import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Long test files that look short, as they have few lines, or wait for the network. A clone without Vitest's cache would start the files by size, so
 * that these would run last, and alone.
 */
const LONG = [
  'e2e/outside',
  'clients/litellm-proxy',
  'clients/python-client',
  'clients/pii-leak',
  'clients/litewitness',
  'clients/pypi',
  'clients/presidio',
  'tutorials/deploy',
  'fault/ending-workers',
  'fault/kill',
  'fault/postgres-kill',
  'e2e/notices-workers',
  'e2e/operations-workers',
  'e2e/workers',
].map((name) => `/test/${name}.`);

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
