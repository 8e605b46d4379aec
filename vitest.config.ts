import { defineConfig } from 'vitest/config';

/* Which test goes where: test/README.md. Everything runs inside src/lab/enter.sh, a private set of namespaces. */
export default defineConfig({
  test: {
    pool: 'forks',
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/{unit,architecture}/**/*.test.ts'] } },
      { extends: true, test: { name: 'flow', include: ['test/flow/**/*.test.ts'], testTimeout: 30_000 } },
      {
        extends: true,
        test: {
          name: 'net',
          globalSetup: 'test/global-setup.ts',
          include: ['test/net/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
