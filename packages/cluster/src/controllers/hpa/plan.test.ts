import { describe, expect, test } from 'vitest';
import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler, MetricSpec } from '../../api/generated/autoscaling-v2.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseLabelSelector } from '../../api/selector/selector.ts';
import { toTimestamp } from '../../base/clock.ts';
import { makeMeta, makePod } from '../../testing/makers.ts';
import { type Conclusion, conclude, type Decision, type Observed, planScale } from './plan.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);
const cpu = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const queue: MetricSpec = {
  type: 'Pods',
  pods: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '5' } },
};

function autoscaler(more: Partial<HorizontalPodAutoscaler['spec']> = {}): HorizontalPodAutoscaler {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: makeMeta({ name: 'web', namespace: 'default', generation: 3 }),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [cpu(50)],
      ...more,
    },
    status: { desiredReplicas: 0 },
  };
}

function pods(...used: readonly number[]): readonly Pod[] {
  return used.map((milli, index) =>
    makePod(`web-${index}`, {
      cpu: '1',
      memory: '1Gi',
      labels: { app: 'web' },
      metadata: { annotations: { used: String(milli) } },
      status: {
        phase: 'Running',
        startTime: toTimestamp(nowMs - 3_600_000),
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: toTimestamp(nowMs - 3_600_000) }],
      },
    }),
  );
}

function observed(replicas: number, more: Partial<Observed> = {}, selector = 'app=web'): Observed {
  const scale: Scale = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: makeMeta({ name: 'web', namespace: 'default' }),
    spec: { replicas },
    status: { replicas, selector },
  };
  return {
    autoscaler: autoscaler(),
    target: { found: true, scale, selects: selector === '' ? undefined : parseLabelSelector(selector) },
    pods: pods(...Array.from({ length: replicas }, () => 500)),
    usageOf: ({ metadata }) => {
      const milli = Number(metadata.annotations?.['used']);
      return new Map([['main', { cpuMilli: milli, memoryBytes: milli * 1024 * 1024 }]]);
    },
    readings: new Map(),
    rivals: [],
    ...more,
  };
}

const old = { recommendations: [], ups: [], downs: [] };

function run(seen: Observed, refusal?: string): readonly [Decision, Conclusion] {
  const decision = planScale(seen, { nowMs, memory: old });
  return [decision, conclude(decision, { nowMs, refusal })];
}

/** `AbleToScale=True ReadyForNewScale` */
function conditions({ status }: Conclusion): readonly string[] {
  return (status.conditions ?? []).map(({ type, status: value, reason }) => `${type}=${value} ${reason}`);
}

const notes = ({ events }: Conclusion): readonly string[] =>
  events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);

describe('scaling', () => {
  test('up, and says why', () => {
    const [decision, conclusion] = run(observed(2, { pods: pods(900, 900) }));
    expect(decision.rescale).toEqual({
      from: 2,
      to: 4,
      why: 'cpu resource utilization (percentage of request) above target',
    });
    expect(notes(conclusion)).toEqual([
      'Normal SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target',
    ]);
    expect(conclusion.status).toEqual({
      conditions: [
        {
          type: 'AbleToScale',
          status: 'True',
          reason: 'SucceededRescale',
          message: 'the HPA controller was able to update the target scale to 4',
          lastTransitionTime: '2026-01-01T12:00:00Z',
        },
        {
          type: 'ScalingActive',
          status: 'True',
          reason: 'ValidMetricFound',
          message:
            'the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)',
          lastTransitionTime: '2026-01-01T12:00:00Z',
        },
        {
          type: 'ScalingLimited',
          status: 'False',
          reason: 'DesiredWithinRange',
          message: 'the desired count is within the acceptable range',
          lastTransitionTime: '2026-01-01T12:00:00Z',
        },
      ],
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 90, averageValue: '900m' } } },
      ],
      currentReplicas: 2,
      desiredReplicas: 4,
      lastScaleTime: '2026-01-01T12:00:00Z',
      observedGeneration: 3,
    });
  });

  test('down, once nothing recent speaks against it', () => {
    const seen = observed(4, { pods: pods(100, 100, 100, 100) });
    expect(planScale(seen, { nowMs, memory: old }).rescale).toEqual({
      from: 4,
      to: 1,
      why: 'All metrics below target',
    });
    const restarted = planScale(seen, { nowMs, memory: undefined });
    expect(restarted.rescale).toBeUndefined();
    expect(conditions(conclude(restarted, { nowMs }))).toContain('AbleToScale=True ScaleDownStabilized');
  });

  test('not at all on target', () => {
    const [decision, conclusion] = run(observed(3));
    expect(decision.rescale).toBeUndefined();
    expect(notes(conclusion)).toEqual([]);
    expect(conditions(conclusion)).toEqual([
      'AbleToScale=True ReadyForNewScale',
      'ScalingActive=True ValidMetricFound',
      'ScalingLimited=False DesiredWithinRange',
    ]);
  });

  test.each([
    [12, 'Current number of replicas above Spec.MaxReplicas', 10],
    [1, 'Current number of replicas below Spec.MinReplicas', 2],
  ])('%i replicas are out of bounds: %s', (replicas, why, to) => {
    const [decision] = run(observed(replicas, { autoscaler: autoscaler({ minReplicas: 2 }) }));
    expect(decision.rescale).toEqual({ from: replicas, to, why });
  });

  test('a target of zero is left alone', () => {
    const [decision, conclusion] = run(observed(0));
    expect(decision.rescale).toBeUndefined();
    expect(conditions(conclusion)).toEqual([
      'AbleToScale=True SucceededGetScale',
      'ScalingActive=False ScalingDisabled',
    ]);
    expect(conclusion.status).toMatchObject({ currentReplicas: 0, desiredReplicas: 0 });
  });

  test('the metric that asks for the most decides', () => {
    const memory: MetricSpec = {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } },
    };
    const [decision, conclusion] = run(
      observed(2, { autoscaler: autoscaler({ metrics: [cpu(50), memory] }), pods: pods(300, 300) }),
    );
    expect(decision.rescale).toMatchObject({ to: 4, why: 'memory resource above target' });
    expect(conclusion.status.currentMetrics?.[1]).toEqual({
      type: 'Resource',
      resource: { name: 'memory', current: { averageValue: '314572800' } },
    });
    expect(conditions(conclusion)).toContain('ScalingLimited=True ScaleUpLimit');
  });

  test('a refused write is told and changes nothing else', () => {
    const [, conclusion] = run(observed(2, { pods: pods(900, 900) }), 'no such luck');
    expect(conditions(conclusion)[0]).toBe('AbleToScale=False FailedUpdateScale');
    expect(notes(conclusion)).toEqual([
      'Warning FailedRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target; error: no such luck',
    ]);
    expect(conclusion.status.desiredReplicas).toBe(0);
    expect(conclusion.status.lastScaleTime).toBeUndefined();
  });

  test('a status that says the same keeps its times', () => {
    const [, first] = run(observed(3));
    const seen = observed(3, { autoscaler: { ...autoscaler(), status: first.status } });
    const later = nowMs + 15_000;
    expect(conclude(planScale(seen, { nowMs: later, memory: first.memory }), { nowMs: later }).status).toEqual(
      first.status,
    );
  });
});

describe('what cannot be measured', () => {
  test('a missing request', () => {
    const bare = pods(500).map((pod) => ({ ...pod, spec: { containers: [{ name: 'app', image: 'x' }] } }));
    const [decision, conclusion] = run(observed(1, { pods: bare }));
    expect(decision.rescale).toBeUndefined();
    expect(notes(conclusion)).toEqual([
      'Warning FailedGetResourceMetric: failed to get cpu utilization: missing request for cpu in container app of Pod web-0',
      'Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: failed to get cpu utilization: missing request for cpu in container app of Pod web-0',
    ]);
    expect(conditions(conclusion)).toEqual([
      'AbleToScale=True SucceededGetScale',
      'ScalingActive=False FailedGetResourceMetric',
    ]);
  });

  test.each<[string, MetricSpec]>([
    ['FailedGetPodsMetric', queue],
    [
      'FailedGetObjectMetric',
      {
        type: 'Object',
        object: {
          describedObject: { kind: 'Ingress', name: 'x' },
          metric: { name: 'm' },
          target: { type: 'Value', value: '1' },
        },
      },
    ],
    [
      'FailedGetExternalMetric',
      { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } },
    ],
    [
      'FailedGetContainerResourceMetric',
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'x', target: { type: 'Utilization', averageUtilization: 50 } },
      },
    ],
  ])('%s', (reason, metric) => {
    const [decision, conclusion] = run(observed(2, { autoscaler: autoscaler({ metrics: [metric] }) }));
    expect(decision.rescale).toBeUndefined();
    expect(conditions(conclusion)).toContain(`ScalingActive=False ${reason}`);
    expect(conclusion.status.currentMetrics).toEqual([{ type: '' }]);
  });

  test('one failed metric blocks the way down, not the way up', () => {
    const metrics = [queue, cpu(50)];
    const [up, told] = run(observed(2, { autoscaler: autoscaler({ metrics }), pods: pods(900, 900) }));
    expect(up.rescale).toMatchObject({ to: 4 });
    expect(told.events.map(({ reason }) => reason)).toEqual(['FailedGetPodsMetric', 'SuccessfulRescale']);
    expect(told.status.currentMetrics?.map(({ type }) => type)).toEqual(['', 'Resource']);
    const [down, blocked] = run(observed(2, { autoscaler: autoscaler({ metrics }), pods: pods(10, 10) }));
    expect(down.rescale).toBeUndefined();
    expect(conditions(blocked)).toContain('ScalingActive=False FailedGetPodsMetric');
  });
});

describe('targets', () => {
  test('one that cannot be read', () => {
    const message = 'deployments.apps "web" not found';
    const [, conclusion] = run(observed(1, { target: { found: false, message } }));
    expect(conclusion.status.conditions).toMatchObject([
      {
        type: 'AbleToScale',
        status: 'False',
        reason: 'FailedGetScale',
        message: `the HPA controller was unable to get the target's current scale: ${message}`,
      },
    ]);
    expect(notes(conclusion)).toEqual([`Warning FailedGetScale: ${message}`]);
  });

  test('one without a selector', () => {
    const [, conclusion] = run(observed(1, {}, ''));
    expect(conditions(conclusion)).toContain('ScalingActive=False InvalidSelector');
    expect(notes(conclusion)[0]).toBe('Warning SelectorRequired: selector is required');
  });

  test('one whose pods another autoscaler measures too', () => {
    const rivals = [{ name: 'default/other', selects: parseLabelSelector('app') }];
    const [, conclusion] = run(observed(1, { rivals }));
    expect(conditions(conclusion)).toContain('ScalingActive=False AmbiguousSelector');
    const apart = [{ name: 'default/other', selects: parseLabelSelector('app=db') }];
    expect(conditions(run(observed(1, { rivals: apart }))[1])).toContain('ScalingActive=True ValidMetricFound');
  });
});
