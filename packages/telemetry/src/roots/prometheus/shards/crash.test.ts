import { type Action, type KubeObject, keyOf } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { planRoot } from '../../../operator/operator.ts';
import type { Prometheus } from '../../../resources/prometheus.ts';
import { applied } from '../../../testing/settle.ts';
import { objectsOf } from '../../../testing/world.ts';
import { worldOf } from '../../../world/world.ts';
import { createPrometheusComponent } from '../prometheus.ts';
import { deadlineAnnotation } from './retention.ts';

/* A shard that is kept, has its deadline moved, is taken back, is kept again and goes, whenever the operator dies. */
const component = createPrometheusComponent();
const hourMs = 3_600_000;
const startMs = Date.parse('2030-01-01T00:00:00Z');
const shardOne = 'monitoring/prometheus-main-shard-1';
const main = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec:
  shards: 2
  serviceMonitorSelector: {}
  shardRetentionPolicy: { whenScaled: Retain, retain: { retentionPeriod: 12h } }
`;

class Story {
  objects: readonly KubeObject[] = objectsOf(main);
  writes = 0;
  private readonly diesAfter: number;

  constructor(diesAfter: number) {
    this.diesAfter = diesAfter;
  }

  edit(spec: Partial<Prometheus['spec']>): void {
    this.objects = this.objects.map((each) =>
      each.kind === 'Prometheus' ? ({ ...each, spec: { ...(each as Prometheus).spec, ...spec } } as KubeObject) : each,
    );
  }

  /** Acts until nothing is left to do. The operator that dies begins anew, and remembers nothing. */
  look(atHours: number): string {
    for (;;) {
      const world = worldOf(this.objects);
      const [root] = world.list(component.rootType);
      if (root === undefined) throw new Error('there is no root');
      const nowMs = startMs + atHours * hourMs;
      const { actions } = planRoot(component, { root, world, hasStatusDoor: true }, { nowMs, memory: undefined });
      if (actions.length === 0) return this.shard();
      this.act(actions);
    }
  }

  private act(actions: readonly Action[]): void {
    for (const action of actions) {
      this.objects = applied(this.objects, action);
      this.writes++;
      if (this.writes % this.diesAfter === 0) return;
    }
  }

  private shard(): string {
    const set = this.objects.find((each) => each.kind === 'StatefulSet' && keyOf(each) === shardOne);
    return set === undefined ? 'gone' : (set.metadata.annotations?.[deadlineAnnotation] ?? 'active');
  }
}

function told(diesAfter: number): { readonly steps: readonly string[]; readonly writes: number } {
  const story = new Story(diesAfter);
  const steps = [story.look(0)];
  story.edit({ shards: 1 });
  steps.push(story.look(1));
  story.edit({ shardRetentionPolicy: { whenScaled: 'Retain', retain: { retentionPeriod: '24h' } } });
  steps.push(story.look(6), story.look(20));
  story.edit({ shards: 2 });
  steps.push(story.look(21));
  story.edit({ shards: 1 });
  steps.push(story.look(22), story.look(45), story.look(46), story.look(46.9), story.look(47));
  return { steps, writes: story.writes };
}

test('whenever the operator dies, a shard is kept, taken back and let go as if it had not', () => {
  const whole = told(Number.POSITIVE_INFINITY);
  expect(whole.steps).toEqual([
    'active',
    '2030-01-01T13:00:00Z',
    '2030-01-02T01:00:00Z',
    '2030-01-02T01:00:00Z',
    'active',
    '2030-01-02T22:00:00Z',
    '2030-01-02T22:00:00Z',
    '2030-01-02T22:00:00Z',
    '2030-01-02T22:00:00Z',
    'gone',
  ]);
  for (let diesAfter = 1; diesAfter <= whole.writes; diesAfter++)
    expect(told(diesAfter).steps, `dies after every ${diesAfter} writes`).toEqual(whole.steps);
});
