import { expect, test } from 'vitest';
import type { ContainerStatus, Pod } from '../api/generated/core-v1.ts';
import { nodes, pods } from '../api/generated/kinds.ts';
import { asked } from '../testing/asked.ts';
import { makeNode, makePod } from '../testing/makers.ts';
import { createWorld } from '../testing/plan-world.ts';

const main = { name: 'main', image: 'example/main:1' };
const proxy = { name: 'proxy', image: 'example/proxy:1' };
const crashing = (name: string): ContainerStatus => ({
  ...{ name, image: '', imageID: '', ready: false, restartCount: 3 },
  ...{ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 2 } } },
});

/** A pod of the namespace shop. */
const pod = (spec: Partial<Pod['spec']>, status: Pod['status']): Pod =>
  makePod('web', { node: 'a', metadata: { namespace: 'shop' }, spec, status });

test.each<[string, Pod, string]>([
  [
    'its only container crashes',
    pod({ containers: [main] }, { containerStatuses: [crashing('main')] }),
    'its log says why: kubectl logs web -n shop --previous',
  ],
  [
    'one of several crashes',
    pod({ containers: [main, proxy] }, { containerStatuses: [crashing('proxy')] }),
    'its log says why: kubectl logs web -n shop -c proxy --previous',
  ],
  [
    'an init container crashes',
    pod({ containers: [main], initContainers: [proxy] }, { initContainerStatuses: [crashing('proxy')] }),
    'its log says why: kubectl logs web -n shop -c proxy --previous',
  ],
  [
    'a container has ended and is not started again yet: its log is the last one',
    pod(
      { containers: [main] },
      { containerStatuses: [{ ...crashing('main'), restartCount: 0, state: { terminated: { exitCode: 1 } } }] },
    ),
    'its log says why: kubectl logs web -n shop',
  ],
])('the command that reads the log is whole where %s', (_, subject, mend) => {
  const world = createWorld();
  world.put(nodes, makeNode('a'));
  world.put(pods, subject);
  expect(asked(world, { type: pods, name: 'web', namespace: 'shop' }).causes[0]?.mend).toBe(mend);
});
