import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more; one that begins last would be waited for alone. */
const long = [
  'page/page',
  'net/demo',
  'net/crash',
  'net/doctor',
  'net/soak',
  'net/told',
  'net/namespace',
  'unit/data-path/laws',
];

/** The usual order, but long files before all others of their group. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      long.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    return (await super.sort(files)).toSorted(
      (a, b) => groupOf(a) - groupOf(b) || Number(isLong(b)) - Number(isLong(a)),
    );
  }
}
