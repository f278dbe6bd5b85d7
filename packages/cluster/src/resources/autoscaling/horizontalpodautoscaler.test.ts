import { describe, expect, test } from 'vitest';
import { created, createIssues, row } from '../../testing/resources/judge.ts';
import { horizontalpodautoscalerDefinition as definition } from './horizontalpodautoscaler.ts';

const target = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' };
const base = { scaleTargetRef: target, maxReplicas: 5 };
const cpu = (goal: object): object => ({ type: 'Resource', resource: { name: 'cpu', target: goal } });
const utilization = (percent: number): object => ({ type: 'Utilization', averageUtilization: percent });

describe('defaults', () => {
  test('one replica at least, and 80 % of the requested CPU', () => {
    expect(created(definition, { spec: base }).spec).toEqual({
      ...base,
      minReplicas: 1,
      metrics: [cpu(utilization(80))],
    });
  });

  test('a behavior is completed on both sides', () => {
    const { behavior } = created(definition, {
      spec: { ...base, behavior: { scaleDown: { selectPolicy: 'Disabled' } } },
    }).spec;
    expect(behavior).toEqual({
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [
          { type: 'Pods', value: 4, periodSeconds: 15 },
          { type: 'Percent', value: 100, periodSeconds: 15 },
        ],
      },
      scaleDown: { selectPolicy: 'Disabled', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
    });
  });

  test('they change nothing the second time', () => {
    const once = created(definition, { spec: { ...base, behavior: {} } });
    expect(definition.defaults?.(once)).toEqual(once);
  });
});

describe('validation', () => {
  test.each<[object, readonly string[]]>([
    [{}, []],
    [
      { minReplicas: 0 },
      [
        'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
    [
      { maxReplicas: 0 },
      [
        'spec.maxReplicas: Invalid value: 0: must be greater than 0',
        'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      ],
    ],
    [{ minReplicas: 6 }, ['spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`']],
    [
      { scaleTargetRef: { apiVersion: 'apps/v1', kind: '', name: 'a/b' } },
      [
        'spec.scaleTargetRef.kind: Required value',
        'spec.scaleTargetRef.name: Invalid value: "a/b": may not contain \'/\'',
      ],
    ],
    [
      { metrics: [{}] },
      [
        'spec.metrics[0].type: Required value: must specify a metric source type',
        expect.stringContaining('spec.metrics[0].type: Unsupported value: ""'),
      ],
    ],
    [
      { metrics: [{ type: 'Cpu' }] },
      [
        'spec.metrics[0].type: Unsupported value: "Cpu": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      ],
    ],
    [
      { metrics: [{ type: 'Resource' }] },
      ['spec.metrics[0].resource: Required value: must populate information for the given metric source'],
    ],
    [
      { metrics: [cpu({ type: 'Utilization' })] },
      [
        'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      ],
    ],
    [
      { metrics: [cpu({ ...utilization(50), averageValue: '1' })] },
      [
        'spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization',
      ],
    ],
    [
      { metrics: [cpu(utilization(0))] },
      ['spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0'],
    ],
    [
      { metrics: [cpu({ type: 'AverageValue', averageValue: '-1' })] },
      ['spec.metrics[0].resource.target.averageValue: Invalid value: "-1": must be positive'],
    ],
    [
      { behavior: { scaleUp: { policies: [] } } },
      ['spec.behavior.scaleUp.policies: Required value: must specify at least one Policy'],
    ],
    [
      { metrics: [{ type: 'Other', object: { describedObject: { kind: 'A', name: 'a/b' } } }] },
      [
        expect.stringMatching(/^spec\.metrics\[0\]\.type: Unsupported value: "Other"/),
        'spec.metrics[0].object.describedObject.name: Invalid value: "a/b": may not contain \'/\'',
        ...[
          'metric.name: Required value',
          'target.type: Required value: must specify a metric target type',
          'target.averageValue: Required value: must set either a target value or averageValue',
        ].map((why) => `spec.metrics[0].object.${why}`),
      ],
    ],
    [
      { scaleTargetRef: { apiVersion: '/a', kind: 'Deployment', name: 'a' } },
      ['spec.scaleTargetRef.apiVersion: Invalid value: "/a": apiVersion must specify API group'],
    ],
    [
      { scaleTargetRef: { apiVersion: '/var/log', kind: 'Deployment', name: 'a' } },
      ['spec.scaleTargetRef.apiVersion: Invalid value: "/var/log": unexpected GroupVersion string: /var/log'],
    ],
    [
      { metrics: [{ type: 'Other', pods: {}, object: {} }] },
      expect.arrayContaining(
        ['object', 'pods'].map(
          (field) => `spec.metrics[0].${field}: Forbidden: must populate the given metric source only`,
        ),
      ),
    ],
    [
      { behavior: { scaleDown: { stabilizationWindowSeconds: 3601 } } },
      ['spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600'],
    ],
    [
      { behavior: { scaleDown: { policies: [{ type: 'Pods', value: 0, periodSeconds: 1801 }] } } },
      [
        'spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero',
        'spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
      ],
    ],
  ])('%j', (spec, expected) => expect(createIssues(definition, { spec: { ...base, ...spec } })).toEqual(expected));
});

describe('columns', () => {
  const metrics = [cpu(utilization(80))];
  const current = (averageUtilization: number): object => ({
    type: 'Resource',
    resource: { name: 'cpu', current: { averageUtilization, averageValue: '10m' } },
  });

  test('before the first measurement', () => {
    expect(row(definition, { spec: { ...base, metrics } })).toEqual({
      Reference: 'Deployment/web',
      Targets: 'cpu: <unknown>/80%',
      MinPods: '<unset>',
      MaxPods: 5,
      Replicas: 0,
    });
  });

  test.each<[string, readonly object[], readonly object[]]>([
    ['cpu: 12%/80%', metrics, [current(12)]],
    ['cpu: 0%/80%', metrics, [current(0)]],
    ['cpu: 10m/100m', [cpu({ type: 'AverageValue', averageValue: '100m' })], [current(12)]],
    [
      '<unknown>/10 (avg)',
      [{ type: 'External', external: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '10' } } }],
      [],
    ],
    [
      '5/10',
      [{ type: 'Object', object: { target: { type: 'Value', value: '10' } } }],
      [{ type: 'Object', object: { current: { value: '5' } } }],
    ],
    ['<unknown>/3', [{ type: 'Pods', pods: { target: { type: 'AverageValue', averageValue: '3' } } }], []],
    ['cpu: <unknown>/80%, cpu: <unknown>/80% + 2 more...', [...metrics, ...metrics, ...metrics, ...metrics], []],
    ['<none>', [], []],
  ])('%s', (text, wanted, currentMetrics) => {
    const status = { currentMetrics, currentReplicas: 2 };
    expect(row(definition, { spec: { ...base, metrics: wanted }, status })).toMatchObject({
      Targets: text,
      Replicas: 2,
    });
  });
});
