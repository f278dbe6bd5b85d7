import { expect, test } from 'vitest';
import { daemonsets, events, jobs, nodes, statefulsets } from '../api/generated/kinds.ts';
import type { ResourceType } from '../api/gvk.ts';
import { asked, causesOf } from '../testing/asked.ts';
import { job } from '../testing/job-world.ts';
import { makeNode } from '../testing/makers.ts';
import { createWorld, meta, podSpec } from '../testing/plan-world.ts';

const message = 'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3';
const mend = 'raise the ResourceQuota, or request less';
const template = { metadata: { labels: { app: 'web' } }, spec: podSpec };
const selector = { matchLabels: { app: 'web' } };
const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: meta('db') };
const daemons = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: meta('agent') };
const daemonSpec = { selector, template, updateStrategy: { type: 'RollingUpdate' } };

test.each<[string, ResourceType, object, string, string]>([
  [
    'StatefulSet',
    statefulsets,
    { ...set, spec: { replicas: 2, serviceName: 'db', selector, template } },
    `create Pod db-0 in StatefulSet db failed error: ${message}`,
    'db-0 cannot be made',
  ],
  [
    'DaemonSet',
    daemonsets,
    { ...daemons, spec: daemonSpec, status: {} },
    `Error creating: ${message}`,
    '1 node: its pod cannot be made',
  ],
  ['Job', jobs, job(), `Error creating: ${message}`, 'its pods cannot be made'],
  [
    'Job whose events are many and alike',
    jobs,
    job(),
    `(combined from similar events): Error creating: ${message}`,
    'its pods cannot be made',
  ],
])(
  'what refuses the pods of a %s is the cause, as the API said it, and what helps is told',
  (_, type, object, told, cause) => {
    const world = createWorld();
    world.put(nodes, makeNode('a'));
    const { metadata } = world.put(type, object as never);
    world.put(events, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: meta('refused'),
      involvedObject: { uid: metadata.uid },
      type: 'Warning',
      reason: 'FailedCreate',
      message: told,
    });
    const explanation = asked(world, { type, name: metadata.name });
    expect(causesOf(explanation)).toEqual([`${cause}: ${message} → ${mend}`]);
    expect(explanation.outcome).toBe('waits');
  },
);
