import { expect, test } from 'vitest';
import { readAdmissionConfiguration } from './configuration.ts';

const front = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';
const limits = 'apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\nlimits:\n';
const server = '- { type: Server, qps: 5, burst: 10 }';
const files: Readonly<Record<string, string>> = { 'limits.yaml': `${limits}${server}` };
const read = (text: string): ReturnType<typeof readAdmissionConfiguration> =>
  readAdmissionConfiguration(text, { source: 'a.yaml', read: (path) => Promise.resolve(files[path] ?? '') });
const within = (each: string): string =>
  `${front}plugins:\n- name: EventRateLimit\n  configuration:\n    ${`${limits}${each}`.replaceAll('\n', '\n    ')}`;

test('limits stand in the file, or in one that it names', async () => {
  const eventLimits = [{ type: 'Server', qps: 5, burst: 10 }];
  expect(await read(within(server))).toEqual({ eventLimits });
  expect(await read(`${front}plugins: [{ name: EventRateLimit, path: limits.yaml }]`)).toEqual({ eventLimits });
  expect(await read(`${front}plugins: []`)).toEqual({});
});

test.each([
  ['', 'a.yaml: there is nothing in it'],
  ['kind: Policy', 'a.yaml: it is no AdmissionConfiguration of apiserver.config.k8s.io/v1'],
  [`${front}plugin: []`, 'a.yaml: plugin: there is no such field'],
  [
    `${front}plugins: [{ name: PodNodeSelector, path: x }]`,
    'plugins[0].name: of the rules here only EventRateLimit has',
  ],
  [`${front}plugins: [{ name: EventRateLimit }]`, 'plugins[0]: it has no configuration'],
  [`${front}plugins: [{ name: EventRateLimit, path: none }]`, 'none: there is nothing in it'],
  [within(' []'), 'a.yaml: plugins[0]: limits: Invalid value: null: must not be empty'],
  [within('- { type: Cluster, qps: 5, burst: 10 }'), 'limits[0].type: it must be one of Server, Namespace, User'],
  [within('- { type: User, burst: 10 }'), 'limits[0].qps: must be positive'],
  [within('- { type: User, qps: 1, burst: 0 }'), 'limits[0].burst: must be positive'],
  [within('- { type: User, qps: 1, burst: 1, cacheSize: -1 }'), 'limits[0].cacheSize: must not be negative'],
  [within('- { type: User, qps: 1, burst: 1, more: 1 }'), 'limits[0].more: there is no such field'],
])('%j is refused', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});
