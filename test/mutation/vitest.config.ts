import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The first failure ends a run, so slow files go last. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => /laws\.test|\/flow\//.test(moduleId);
    return files.toSorted((one, other) => Number(isSlow(one)) - Number(isSlow(other)));
  }
}

export default defineConfig({
  test: {
    css: true,
    include: ['test/{unit,service,reference-service,flow}/**/*.test.ts'],
    // Stryker ends what never ends; the rest may take its time on a busy machine.
    testTimeout: 120_000,
    isolate: false,
    sequence: { sequencer: QuickFirst },
  },
});
