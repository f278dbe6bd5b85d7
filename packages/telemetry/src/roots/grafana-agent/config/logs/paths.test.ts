import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { executeRelabelling } from '../../../../relabel/execute.ts';
import type { RelabelRule } from '../../../../relabel/rule.ts';
import type { NamespaceSelector, RelabelConfig } from '../../../../resources/fields.ts';
import type { PodLogs } from '../../../../resources/pod-logs.ts';
import { createLeaf } from '../../../../scrape/leaf.ts';
import { logsExpansion } from '../variables.ts';
import { podLogsJobs } from './pod-logs.ts';

const discovered = {
  __address__: '10.0.0.1:80',
  __meta_kubernetes_namespace: 'shop',
  __meta_kubernetes_pod_name: 'web-0',
  __meta_kubernetes_pod_uid: '1b4e28ba-2fa1-11d2-883f-0016d3cca427',
  __meta_kubernetes_pod_container_name: 'app',
  __meta_kubernetes_pod_node_name: 'node',
  __meta_kubernetes_pod_label_x__path__y: 'proc',
  // Annotations hold any text.
  __meta_kubernetes_pod_annotation_path: '/proc/self/environ',
  __meta_kubernetes_pod_annotation_other: '/var/log/pods/*0b4e28ba-2fa1-11d2-883f-0016d3cca427/app/*.log',
  __meta_kubernetes_pod_annotation_star: '*',
  __meta_kubernetes_pod_annotation_up: '../../../proc/self/environ',
};
const ours = '/var/log/pods/*1b4e28ba-2fa1-11d2-883f-0016d3cca427/app/*.log';

function jobOf(relabelings: readonly RelabelConfig[], namespaceSelector?: NamespaceSelector) {
  const logs: PodLogs = {
    apiVersion: 'monitoring.grafana.com/v1alpha1',
    kind: 'PodLogs',
    metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    spec: { selector: {}, relabelings, ...(namespaceSelector !== undefined && { namespaceSelector }) },
  };
  const vault = { lookup: () => ({ state: 'object missing' }) as const, pathOf: () => '' };
  const leaf = createLeaf(logs, vault, { missingFile: 'reject', expansion: logsExpansion });
  const settings = {
    ignoreNamespaceSelectors: false,
    enforcedNamespaceLabel: '',
    apiServer: undefined,
    denyFileAccess: false,
    expansion: logsExpansion,
  };
  const [job] = podLogsJobs(logs, settings, leaf);
  return { leaf, rules: job?.['relabel_configs'] as readonly RelabelRule[] };
}

function pathAfter(relabelings: readonly RelabelConfig[], selector?: NamespaceSelector): string | undefined {
  return executeRelabelling(discovered, jobOf(relabelings, selector).rules)?.['__path__'];
}

/** What the path can name without any knowledge of how it was judged. */
function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder) && !/[{}[\]\\]/.test(path) && !path.split('/').includes('..');
}

test('rules that cannot change the path stand behind ours, and nothing else is added', () => {
  const rules = jobOf([
    { sourceLabels: ['a'], targetLabel: 'b' },
    { regex: 'x', action: 'LabelDrop' },
  ]).rules;
  expect(rules.at(-3)?.target_label).toBe('__path__');
  expect(rules).toHaveLength(jobOf([]).rules.length + 2);
  expect(pathAfter([])).toBe(ours);
});

describe('what may be tailed', () => {
  const set = (replacement: string, more: RelabelConfig = {}): RelabelConfig => ({
    targetLabel: '__path__',
    replacement,
    ...more,
  });
  const uid = '__meta_kubernetes_pod_uid';
  test.each<[string, RelabelConfig[], string | undefined]>([
    [
      'a folder of the pod',
      [set('/var/log/pods/*$1/app/0.log', { sourceLabels: [uid] })],
      '/var/log/pods/shop_*1b4e28ba-2fa1-11d2-883f-0016d3cca427/app/0.log',
    ],
    [
      'another pod of the namespace',
      [set('/var/log/pods/shop_web-1_*/app/*.log')],
      '/var/log/pods/shop_web-1_*/app/*.log',
    ],
    [
      'a map of all labels',
      [
        { action: 'labelmap', regex: '__meta_kubernetes_pod_label_(.+)' },
        { action: 'labeldrop', regex: '__meta_.*' },
      ],
      ours.replace('*', 'shop_*'),
    ],
    ['the environment', [set('/proc/self/environ')], undefined],
    ['the token', [set('/var/run/secrets/kubernetes.io/serviceaccount/token')], undefined],
    ['a folder above', [set('/var/log/pods/shop_x/../../../../proc/self/environ')], undefined],
    [
      'a folder above in braces',
      [set('/var/log/pods/shop_x/{..,x}/{..,x}/{..,x}/{..,x}/proc/self/environ')],
      undefined,
    ],
    ['a folder above in brackets', [set('/var/log/pods/shop_x/[.][.]/other')], undefined],
    ['a folder above, escaped', [set('/var/log/pods/shop_x/\\.\\./other')], undefined],
    ['a line break', [set('/var/log/pods/shop_x/a\n/proc/self/environ')], undefined],
    ['a pod of another namespace', [set('/var/log/pods/kube-system_x/app/*.log')], undefined],
    ['pods of all namespaces', [set('/var/log/pods/*/*/*.log')], '/var/log/pods/shop_*/*/*.log'],
    ['a namespace that begins like ours', [set('/var/log/pods/shop*_x/app/*.log')], undefined],
    [
      'another uid',
      [set('$1', { sourceLabels: ['__meta_kubernetes_pod_annotation_other'] })],
      '/var/log/pods/shop_*0b4e28ba-2fa1-11d2-883f-0016d3cca427/app/*.log',
    ],
    [
      'another uid and namespace',
      [{ targetLabel: '__meta_kubernetes_namespace', replacement: 'other' }, set('/var/log/pods/*/*/*.log')],
      undefined,
    ],
    ['an annotation', [set('$1', { sourceLabels: ['__meta_kubernetes_pod_annotation_path'] })], undefined],
    [
      'an annotation that goes up',
      [set('/var/log/pods/shop_x/$1', { sourceLabels: ['__meta_kubernetes_pod_annotation_up'] })],
      undefined,
    ],
    [
      'a computed target',
      [
        {
          sourceLabels: ['__meta_kubernetes_pod_label_x__path__y'],
          targetLabel: '__path$1',
          regex: 'proc()',
          replacement: '/x',
        },
        {
          sourceLabels: ['__meta_kubernetes_pod_container_name'],
          regex: 'app()',
          targetLabel: '__path__$1',
          replacement: '/proc/self/environ',
        },
      ],
      undefined,
    ],
    [
      'a map',
      [
        { targetLabel: 'a__path__a', replacement: '/proc/self/environ' },
        { action: 'LabelMap', regex: 'a(.+)a' },
      ],
      undefined,
    ],
    [
      'a map to a fixed name',
      [{ action: 'labelmap', regex: '__meta_kubernetes_pod_annotation_path', replacement: '__path__' }],
      undefined,
    ],
    [
      'lower case',
      [{ action: 'lowercase', sourceLabels: ['__meta_kubernetes_pod_annotation_path'], targetLabel: '__path__' }],
      undefined,
    ],
    ['hashmod', [{ action: 'hashmod', modulus: 2, sourceLabels: ['__address__'], targetLabel: '__path__' }], undefined],
  ])('%s', (_, relabelings, path) => expect(pathAfter(relabelings)).toBe(path));

  test('pods of the namespaces that are selected, by their names', () => {
    const selector = { matchNames: ['shop', 'bar', '.*', 'a|b'] };
    expect(pathAfter([set('/var/log/pods/bar_x/app/*.log')], selector)).toBe('/var/log/pods/bar_x/app/*.log');
    expect(pathAfter([set('/var/log/pods/other_x/app/*.log')], selector)).toBeUndefined();
    expect(pathAfter([set('/var/log/pods/other_x/app/*.log')], { any: true })).toBe('/var/log/pods/other_x/app/*.log');
    expect(pathAfter([set('/proc/self/environ')], { any: true })).toBeUndefined();
  });

  test('who names another folder is told', () => {
    const { leaf } = jobOf([set('/var/log/pods/*$1/x.log'), set('/proc/$1'), set('/var/log/syslog'), set('$1')]);
    const told = leaf.findings.map(({ severity, reason, field }) => `${severity} ${reason} ${field}`);
    expect(told).toEqual([1, 2].map((index) => `warning FileAccessDenied spec.relabelings[${index}].replacement`));
  });
});

test('whatever rules a tenant writes, only logs of pods of his namespace are tailed', () => {
  const names = Object.keys(discovered);
  const label = fc.constantFrom(
    '__path__',
    'a',
    '__meta_kubernetes_namespace',
    '__meta_kubernetes_pod_uid',
    '__$1__',
    '$1',
    '__path$2',
    'a__path__a',
  );
  const text = fc.constantFrom(
    ...Object.values(discovered),
    '$1',
    '$2/$1',
    '/proc/self/environ',
    '/var/log/pods/$1',
    '/var/log/pods/shop_$1/x.log',
    '/var/log/pods/*$1/x.log',
    'path',
    '..',
    '/var/log/pods/shop_a/..',
    '{..,a}',
  );
  const rule: fc.Arbitrary<RelabelConfig> = fc.record(
    {
      action: fc.constantFrom(
        'replace',
        'Replace',
        'labelmap',
        'labeldrop',
        'labelkeep',
        'lowercase',
        'uppercase',
        'hashmod',
        'keep',
        'keepequal',
      ),
      sourceLabels: fc.array(fc.constantFrom('__path__', 'a', 'a__path__a', ...names), { maxLength: 2 }),
      separator: fc.constantFrom('', '/', '..', ';'),
      targetLabel: label,
      regex: fc.constantFrom(
        '(.*)',
        '(.*)()',
        'a(.*)a',
        '(a)',
        '__meta_.*',
        '__path__|__tmp_.*',
        '.*_(path)',
        '/(.*)/(.*)',
      ),
      replacement: fc.oneof(text, label),
      modulus: fc.constant(2),
    },
    { requiredKeys: ['action'] },
  );
  let other = 0;
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 5 }), (configs) => {
      const { leaf, rules } = jobOf(configs);
      fc.pre(!leaf.isRejected);
      const path = executeRelabelling(discovered, rules)?.['__path__'] ?? ours;
      if (path === ours) return;
      other += 1;
      expect(isWithin(path, '/var/log/pods/shop_'), path).toBe(true);
    }),
    { numRuns: 1_000 },
  );
  expect(other).toBeGreaterThan(30);
});
