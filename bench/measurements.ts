/** What is measured: a name for the command line, and how one run of it goes. */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import bundlePrograms from '../tools/bundle-programs.ts';
import { bodyForms, measureBodies } from './bodies.ts';
import type { Figures } from './figures.ts';
import { measureHttp } from './http.ts';
import { measureOperator } from './operator.ts';
import { measureDaemonSet, measureStart, upFlags } from './outside.ts';
import { measureWatchers } from './watchers.ts';

export interface Measurement {
  readonly name: string;
  /** What each figure is to reach, where there is a goal. */
  readonly goals?: Figures;
  /** What upstream's own benchmark demands of upstream for the like, where there is one: of its scheduler alone. */
  readonly upstream?: Figures;
  run(): Promise<Figures>;
}

const realNodeGoals: Figures = {
  'create to running ms': 150,
  'CPU per start ms': 30,
  '100 pods ms': 10_000,
  'idle CPU %': 1,
  'MB per pod': 0.5,
};

const bodyGoals: Figures = Object.fromEntries(bodyForms.map((name) => [`${name} ms`, 100]));

export const measurements: readonly Measurement[] = [
  { name: 'start', goals: { 'ms to kubectl get ns': 600, 'idle MB': 130 }, run: measureStart },
  { name: 'store', run: () => inProcess('store') },
  { name: 'apply', goals: { ms: 1 }, run: () => inProcess('apply') },
  { name: 'rules', goals: { ms: 1 }, run: () => inProcess('rules') },
  { name: 'daemonset-500', run: () => inProcess('daemonset', '500') },
  { name: 'daemonset-1000', goals: { ms: 2_000 }, run: () => inProcess('daemonset', '1000') },
  { name: 'daemonset-5000', goals: { ms: 3_000 }, run: () => inProcess('daemonset', '5000') },
  {
    name: 'scheduling-plain',
    goals: { 'bound pods/s': 3_000, 'running pods/s': 2_000 },
    upstream: { 'bound pods/s': 810 },
    run: () => inProcess('scheduling', 'plain', '5000', '10000'),
  },
  {
    name: 'scheduling-anti-affinity',
    goals: { 'bound pods/s': 1_000 },
    upstream: { 'bound pods/s': 60 },
    run: () => inProcess('scheduling', 'anti-affinity', '5000', '4000'),
  },
  {
    name: 'scheduling-spread',
    goals: { 'bound pods/s': 1_000 },
    upstream: { 'bound pods/s': 460 },
    run: () => inProcess('scheduling', 'spread', '5000', '5000'),
  },
  // Upstream has a floor for ordinary pods beside some that preempt. With none but such it has one for no size, and 5,000 nodes are left out there (kubernetes/kubernetes#108308).
  {
    name: 'scheduling-preemption-async',
    goals: { 'bound pods/s': 1_500 },
    upstream: { 'bound pods/s': 570 },
    run: () => inProcess('scheduling', 'preemption-async', '5000', '5000'),
  },
  {
    name: 'scheduling-preemption',
    goals: { 'bound pods/s': 1_500 },
    run: () => inProcess('scheduling', 'preemption', '5000', '5000'),
  },
  {
    name: 'scheduling-daemons',
    upstream: { 'bound pods/s': 1_100 },
    run: () => inProcess('scheduling', 'daemons', '15000', '15000'),
  },
  { name: 'kubectl-daemonset-1000', run: () => measureDaemonSet(1_000) },
  { name: 'kubectl-daemonset-5000', run: () => measureDaemonSet(5_000) },
  { name: 'http', goals: { 'list ms': 150, 'seen by 1000 p99 ms': 100 }, run: measureHttp },
  { name: 'idle-watchers', goals: { MB: 300 }, run: measureWatchers },
  { name: 'big-body', goals: bodyGoals, run: () => measureBodies(join(cases, 'beat.js')) },
  { name: 'slots-100000', goals: { ms: 250 }, run: () => inProcess('slots', '100000') },
  { name: 'slots-1000000', goals: { ms: 3_000 }, run: () => inProcess('slots', '1000000') },
  { name: 'plan-10000', goals: { 'edit ms': 3_000, 'scale ms': 3_000 }, run: () => inProcess('plan', '10000', '10') },
  { name: 'render-1000', run: () => inProcess('render', '1000') },
  { name: 'render-10000', goals: { 'full ms': 2_000, 'edit ms': 50 }, run: () => inProcess('render', '10000') },
  { name: 'render-50000', run: () => inProcess('render', '50000') },
  { name: 'operator-100', goals: { MB: 90, 'idle CPU %': 0.2 }, run: () => measureOperator(100) },
  { name: 'operator-1000', run: () => measureOperator(1_000) },
  { name: 'operator-10000', goals: { MB: 350 }, run: () => measureOperator(10_000) },
  { name: 'network', run: () => inProcess('network') },
  { name: 'idle-hour-3', run: () => inProcess('idle-hour', '3') },
  { name: 'idle-hour-100', run: () => inProcess('idle-hour', '100') },
  { name: 'label-change', goals: { 'move CPU ms': 20 }, run: () => inProcess('label-change', '5000', '50') },
  {
    name: 'label-change-all',
    goals: { 'come CPU ms': 20, 'go CPU ms': 20 },
    run: () => inProcess('label-change-all', '5000', '50'),
  },
  { name: 'full-fleet', goals: { 'most MB': 1_500 }, run: () => inProcess('full-fleet', '5000', '50000', '30') },
  { name: 'idle-fleet-5000', goals: { 'CPU %': 3 }, run: () => inProcess('idle-fleet', '5000', '60') },
  { name: 'real-node', goals: realNodeGoals, run: () => inProcess('real-node') },
  { name: 'real-node-rootless', goals: realNodeGoals, run: () => inProcess('real-node', 'rootless') },
];

const root = resolve(import.meta.dirname, '..');
const cases = join(root, 'node_modules/.cache/bench');

/** What runs in a process of its own is bundled first, from the sources; returns what removes it. */
export async function buildCases(): Promise<() => void> {
  await build({
    entryPoints: [
      'apply',
      'beat',
      'rules',
      'daemonset',
      'scheduling',
      'store',
      'full-fleet',
      'idle-fleet',
      'idle-hour',
      'label-change',
      'label-change-all',
      'ladder',
      'network',
      'slots',
      'plan',
      'render',
      'real-node',
    ].map((name) => join(root, `bench/cases/${name}.ts`)),
    outdir: cases,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['signalbox-source'],
    external: ['lmdb', '@peculiar/x509', 'jose', 'reflect-metadata', 'undici'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return bundlePrograms();
}

/** Where the bundle of a case is. */
export function caseProgram(name: string): string {
  return join(cases, `${name}.js`);
}

function inProcess(name: string, ...args: readonly string[]): Promise<Figures> {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...upFlags(), caseProgram(name), ...args], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} ${args.join(' ')} failed: ${stderr}`);
  return Promise.resolve(JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Figures);
}
