import { defineConfig } from 'vitest/config';

/* Which test goes where: docs/development/testing.md. Everything runs inside src/lab/enter.sh, a private set of namespaces. */
export default defineConfig({
  test: {
    pool: 'forks',
    // The page's style is text to us; without this, it would be left out.
    css: true,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/{unit,architecture}/**/*.test.ts'], testTimeout: 30_000 },
      },
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
      // After the others: the one name that the namespace on a host has is taken by test/net meanwhile.
      {
        extends: true,
        test: {
          name: 'attack',
          globalSetup: ['test/global-setup.ts', 'test/attack/attack-setup.ts'],
          include: ['test/attack/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      // A real Chromium; left out, aloud, where there is none.
      {
        extends: true,
        test: {
          name: 'page',
          globalSetup: 'test/page/page-setup.ts',
          include: ['test/page/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 1,
        },
      },
      // Whole machines, as root and not in the lab's namespaces: `npm run test:systems` only.
      {
        extends: true,
        test: {
          name: 'systems',
          include: ['test/systems/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 900_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
