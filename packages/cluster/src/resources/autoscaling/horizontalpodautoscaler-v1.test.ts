import { expect, test } from 'vitest';
import type { HorizontalPodAutoscaler } from '../../api/generated/autoscaling-v2.ts';
import { created, createIssues, type made, row } from '../../testing/resources/judge.ts';
import { horizontalpodautoscalerDefinition } from './horizontalpodautoscaler.ts';
import { horizontalpodautoscalerV1Definition as definition } from './horizontalpodautoscaler-v1.ts';

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const toStored = (body: object): HorizontalPodAutoscaler =>
  definition.storedAs?.toStored(created(definition, { ...body })) as HorizontalPodAutoscaler;
const shown = (stored: HorizontalPodAutoscaler): ReturnType<typeof made> | undefined =>
  definition.storedAs?.fromStored(stored);

const cpu = (averageUtilization: number): object => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
};

test.each([
  ['the percentage becomes a metric', { maxReplicas: 5, targetCPUUtilizationPercentage: 60 }, [cpu(60)]],
  ['without one it is 80', { maxReplicas: 5 }, [cpu(80)]],
])('%s', (_, spec, metrics) => {
  expect(toStored({ spec: { scaleTargetRef, ...spec } })).toMatchObject({
    apiVersion: 'autoscaling/v2',
    spec: { minReplicas: 1, maxReplicas: 5, scaleTargetRef, metrics },
  });
});

test('what the old form cannot say is in annotations and survives the way there and back', () => {
  const stored = created(horizontalpodautoscalerDefinition, {
    metadata: { annotations: { mine: 'yes' } },
    spec: {
      scaleTargetRef,
      maxReplicas: 5,
      metrics: [cpu(50), memory],
      behavior: { scaleDown: { selectPolicy: 'Min' } },
    },
  });
  const withStatus = {
    ...stored,
    status: {
      currentReplicas: 2,
      desiredReplicas: 3,
      conditions: [{ type: 'AbleToScale', status: 'True' }],
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 70 } } }],
    },
  };
  const old = shown(withStatus);
  expect(old).toMatchObject({
    apiVersion: 'autoscaling/v1',
    metadata: { annotations: { mine: 'yes', 'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify([memory]) } },
    spec: { targetCPUUtilizationPercentage: 50 },
    status: { currentCPUUtilizationPercentage: 70, currentReplicas: 2, desiredReplicas: 3 },
  });
  expect(definition.storedAs?.toStored(old as never)).toEqual(withStatus);
});

test.each(['no JSON', '{"a":1}', '[{"type":5}]'])('an annotation with %s says nothing', (text) => {
  const stored = toStored({
    metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': text } },
    spec: { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 60 },
  });
  expect(stored.spec.metrics).toEqual([cpu(60)]);
});

test('both versions are judged by the same rules', () => {
  expect(createIssues(definition, { spec: { scaleTargetRef, minReplicas: 3, maxReplicas: 2 } })).toEqual([
    'spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`',
  ]);
});

test('both versions print the same row', () => {
  const spec = { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 60, minReplicas: 2 };
  expect(row(definition, { spec })).toEqual({
    Reference: 'Deployment/web',
    Targets: 'cpu: <unknown>/60%',
    MinPods: '2',
    MaxPods: 5,
    Replicas: 0,
  });
});

test('what annotations say of the spec does not come in by the door of the status', () => {
  const before = created(definition, {
    metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify([memory]), a: 'b' } },
    spec: { scaleTargetRef, maxReplicas: 5 },
  });
  const annotations = { 'autoscaling.alpha.kubernetes.io/behavior': '{}', a: 'c' };
  const after = definition.defaultsByStatus?.({ ...before, metadata: { ...before.metadata, annotations } }, before);
  expect(after?.metadata.annotations).toEqual({ ...before.metadata.annotations, a: 'c' });
  expect(definition.defaultsByStatus?.(before, before)).toBe(before);
});
