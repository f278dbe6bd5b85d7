import { defineConfig, type ViteUserConfig } from 'vitest/config';

// Packages resolve each other to their sources, so that tests need no build.
const resolve = { conditions: ['signalbox-source'] };
const ssr = { resolve: { conditions: ['signalbox-source'], externalConditions: ['node'] } };

// No test sleeps; the limit is for machines that have much else to do.
const testTimeout = 30_000;
const setupFiles = ['tools/property-seed.ts'];

const config: ViteUserConfig = defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          include: ['{packages/*/src,tools,bench,examples}/**/*.test.ts'],
          exclude: ['**/*.e2e.test.ts', '**/node_modules/**'],
          isolate: false,
          pool: 'threads',
          testTimeout,
          setupFiles,
        },
      },
      {
        resolve,
        ssr,
        test: { name: 'scenarios', include: ['scenarios/**/*.test.ts'], isolate: false, pool: 'threads', testTimeout },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'sim',
          include: ['sim/**/*.test.ts'],
          exclude: ['**/*.e2e.test.ts', '**/node_modules/**'],
          isolate: false,
          pool: 'threads',
          testTimeout,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'e2e',
          include: ['packages/*/src/**/*.e2e.test.ts', 'sim/**/*.e2e.test.ts', 'tools/**/*.e2e.test.ts'],
          setupFiles,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          pool: 'forks',
          fileParallelism: false,
        },
      },
    ],
  },
});

export default config;
