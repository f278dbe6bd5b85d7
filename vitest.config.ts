import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { judgedInTests } from './tools/judged.ts';
import { LongestFirst } from './tools/longest-first.ts';
import { leftOut, testsIn } from './tools/turns.ts';

// Packages resolve each other to their sources, so that tests need no build.
const resolve = { conditions: ['signalbox-source'] };
const ssr = { resolve: { conditions: ['signalbox-source'], externalConditions: ['node'] } };

// No test sleeps; the limits are for machines that have much else to do.
const testTimeout = 30_000;
const patient = { expect: { poll: { timeout: 20_000 } } };
const setupFiles = ['tools/property-seed.ts'];

// Laws that take their number of runs times `inject('thoroughness')`: some with every check, more of them with the simulations.
const laws = [
  'packages/cluster/src/base/random.test.ts',
  'packages/cluster/src/cel/second-opinion.test.ts',
  'packages/cluster/src/store/backends/memory.test.ts',
  'packages/cluster/src/testing/scheduler/laws.test.ts',
  'packages/cluster/src/testing/scheduler/reference.test.ts',
  'packages/cluster/src/testing/workloads/attachdetach.test.ts',
  'packages/cluster/src/testing/workloads/daemonset.test.ts',
  'packages/cluster/src/testing/workloads/deployment.test.ts',
  'packages/cluster/src/testing/workloads/statefulset.test.ts',
  'packages/telemetry/src/explain/job-text.test.ts',
  'packages/telemetry/src/explain/scraped.test.ts',
  'packages/telemetry/src/explain/shard-choice.test.ts',
  'packages/telemetry/src/golden.test.ts',
  'packages/telemetry/src/relabel/expression.test.ts',
  'packages/telemetry/src/operator/monitors/reach.test.ts',
  'packages/telemetry/src/operator/second-start.test.ts',
  'packages/telemetry/src/operator/trimmed-caches.test.ts',
  'packages/telemetry/src/roots/prometheus/config/jobs.test.ts',
];

/** All scenarios twice over, stories of many days and crashes, every text of every kind, a life of every kind of object: with the simulations, not with every check. */
const slow = [
  'packages/cluster/src/testing/restarts.test.ts',
  'packages/cluster/src/testing/scheduler/crashes.test.ts',
  'packages/cluster/src/testing/server/identity-life.test.ts',
  'scenarios/determinism.test.ts',
  'scenarios/long.test.ts',
  'packages/telemetry/src/even-load.test.ts',
  'packages/telemetry/src/handover.test.ts',
  'packages/telemetry/src/preview/prediction.test.ts',
  'packages/telemetry/src/roots/prometheus/cluster.test.ts',
  'packages/telemetry/src/roots/prometheus/shards/crash.test.ts',
  'packages/telemetry/src/roots/prometheus/shards/kept.test.ts',
  'packages/telemetry/src/scrape/environment.test.ts',
  'tools/deploy/roles.test.ts',
];

const turn = { env: process.env, day: new Date().getUTCDate() };
const notToday = (start: string): readonly string[] => leftOut(testsIn(import.meta.dirname, start), turn);

/** What they start is bundled once. */
const globalSetup = 'tools/bundle-programs.ts';
const withProcesses = { testTimeout: 120_000, hookTimeout: 120_000, pool: 'forks' } as const;
const paces = ['packages/*/src/**/*pace.real.test.ts'];
/** A second kubectl, of another release, that is a client as well. CI names Debian's. */
const olderKubectl = process.env['OLDER_KUBECTL'] ?? '';

/** Each file in a process of its own: some look at its memory. */
const endToEnd = {
  ...withProcesses,
  globalSetup,
  setupFiles: [...setupFiles, 'tools/judged-setup.ts'],
  // Half of their time is waiting.
  maxWorkers: 4,
  // Processes and sockets with time limits: after everything else.
  sequence: { groupOrder: 1 },
};

declare module 'vitest' {
  interface ProvidedContext {
    readonly thoroughness: number;
  }
}

const config: ViteUserConfig = defineConfig({
  test: {
    // The default leaves one core to others; with two that is half of the machine.
    maxWorkers: '100%',
    // Compiling the sources is a third of a run. CI begins with nothing kept.
    sequence: { sequencer: LongestFirst },
    experimental: { fsModuleCache: process.env['CI'] === undefined },
    projects: [
      {
        resolve,
        ssr,
        test: {
          ...patient,
          name: 'unit',
          include: ['{packages/*/src,tools,bench,examples}/**/*.test.ts'],
          exclude: ['**/*.{e2e,real}.test.ts', ...slow, '**/node_modules/**'],
          isolate: false,
          pool: 'threads',
          testTimeout,
          setupFiles,
          provide: { thoroughness: 1 },
        },
      },
      {
        resolve,
        ssr,
        test: {
          ...patient,
          name: 'scenarios',
          include: ['scenarios/**/*.test.ts'],
          exclude: [...slow, '**/node_modules/**'],
          isolate: false,
          pool: 'threads',
          testTimeout,
        },
      },
      {
        resolve,
        ssr,
        test: {
          ...patient,
          name: 'sim',
          include: ['sim/**/*.test.ts', ...slow, ...laws],
          exclude: ['**/*.{e2e,real}.test.ts', '**/node_modules/**'],
          isolate: false,
          pool: 'threads',
          testTimeout,
          setupFiles,
          provide: { thoroughness: 10 },
        },
      },
      {
        resolve,
        ssr,
        plugins: [judgedInTests],
        test: {
          ...patient,
          name: 'e2e',
          include: ['packages/*/src/**/*.e2e.test.ts', 'sim/**/*.e2e.test.ts', 'tools/**/*.e2e.test.ts'],
          exclude: [...notToday('tools/peers/'), '**/node_modules/**'],
          ...endToEnd,
        },
      },
      {
        resolve,
        ssr,
        plugins: [judgedInTests],
        test: {
          ...patient,
          name: 'older-kubectl',
          include: olderKubectl === '' ? [] : ['packages/cluster/src/e2e/kubectl-*.e2e.test.ts'],
          exclude: [...notToday('packages/cluster/src/e2e/kubectl-'), '**/node_modules/**'],
          env: { KUBECTL: olderKubectl },
          ...endToEnd,
        },
      },
      {
        resolve,
        ssr,
        plugins: [judgedInTests],
        test: {
          // Real processes in namespaces that the test made.
          ...patient,
          name: 'real',
          include: ['packages/*/src/**/*.real.test.ts'],
          exclude: [...paces, '**/node_modules/**'],
          globalSetup,
          setupFiles: ['tools/judged-setup.ts'],
          ...withProcesses,
          // They wait more than they work.
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        resolve,
        ssr,
        test: {
          // Figures of real processes: beside nothing else.
          ...patient,
          name: 'pace',
          include: paces,
          globalSetup,
          ...withProcesses,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});

export default config;
