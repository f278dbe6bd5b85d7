import { becomes, pod } from './budgets.ts';
import { systemClock, toTimestamp } from './moments.ts';
import type { Seen, Stage, Story } from './story.ts';

export const nodes = '/api/v1/nodes';
export const pods = 'api/v1/pods';

interface NodeParts {
  readonly labels?: Record<string, string>;
  /** Whether its CPU counts when endpoints are shared out among zones. */
  readonly works?: boolean;
  readonly annotations?: Record<string, string>;
  readonly spec?: object;
  readonly ready?: 'True' | 'False';
}

/** Nodes of stories that are not about hints have no part in the sum of all CPUs. */
export const apart = { 'node-role.kubernetes.io/control-plane': '' };

const at = '2026-01-01T00:00:00Z';
const condition = (type: string, status: string): object => ({
  type,
  status,
  reason: 'Told',
  message: 'told',
  lastHeartbeatTime: toTimestamp(systemClock.nowMs()),
  lastTransitionTime: at,
});

const size = { cpu: '4', pods: '10' };

/** Somebody speaks for it: there is no kubelet. Each story has its zone. */
export async function join(
  stage: Stage,
  name: string,
  { labels, annotations, spec, works = false, ready = 'True' }: NodeParts = {},
): Promise<string> {
  const called = `${stage.name}-${name}`;
  await stage.post(nodes, {
    metadata: {
      name: called,
      labels: { 'topology.kubernetes.io/zone': stage.name, ...(!works && apart), ...labels },
      annotations: { 'signalbox.dev/driver': 'hand', ...annotations },
    },
    spec: spec ?? {},
    ...(works && { status: { allocatable: size, capacity: size } }),
  });
  await stage.beat(called);
  await says(stage, name, { Ready: ready, MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' });
  if (ready === 'True')
    await stage.until(
      `${nodes}/${called}`,
      ({ spec }) => spec?.taints?.some((each) => each.key === 'node.kubernetes.io/not-ready') !== true,
    );
  return called;
}

export async function says(stage: Stage, name: string, conditions: Record<string, string>): Promise<void> {
  await stage.patch(`${nodes}/${stage.name}-${name}/status`, {
    status: { conditions: Object.entries(conditions).map(([type, status]) => condition(type, status)) },
  });
}

export const hasTaint =
  (key: string, effect: string) =>
  ({ spec }: Seen): boolean =>
    spec?.taints?.some((each) => each.key === key && each.effect === effect) === true;

export async function on(
  stage: Stage,
  node: string,
  name: string,
  more: {
    readonly tolerations?: readonly object[];
    readonly metadata?: object;
    readonly grace?: number;
    readonly phase?: string;
  } = {},
): Promise<void> {
  await stage.post(
    stage.within(pods),
    pod(name, {
      metadata: { ...more.metadata },
      spec: {
        nodeName: `${stage.name}-${node}`,
        tolerations: more.tolerations ?? [],
        terminationGracePeriodSeconds: more.grace ?? 0,
      },
    }),
  );
  await becomes(stage, stage.within(`${pods}/${name}`), more.phase === undefined, more.phase);
}

const tolerating = (key: string, seconds?: number): object => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(seconds !== undefined && { tolerationSeconds: seconds }),
});
const health = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
export const patient = (seconds?: number): readonly object[] => health.map((key) => tolerating(key, seconds));

export const nodeStories: readonly Story[] = [
  {
    name: 'fresh',
    tells: 'a node that never says anything',
    compares: [nodes],
    async play(stage) {
      await stage.post(nodes, {
        metadata: {
          name: 'fresh-mute',
          labels: {
            ...apart,
            'kubernetes.io/os': 'linux',
            'kubernetes.io/arch': 'amd64',
            'beta.kubernetes.io/arch': 'wrong',
          },
          annotations: { 'signalbox.dev/driver': 'hand' },
        },
      });
      await stage.pause(2_000);
      await stage.show('at first', `${nodes}/fresh-mute`);
      await stage.until(
        `${nodes}/fresh-mute`,
        ({ status }) => status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'Unknown') === true,
      );
      await stage.pause(3_000);
    },
  },
  {
    name: 'pressed',
    tells: 'pressure, no network, no scheduling, and all of it over again',
    compares: [nodes],
    async play(stage) {
      const name = await join(stage, 'a', { spec: { taints: [{ key: 'own', value: 'x', effect: 'NoSchedule' }] } });
      await says(stage, 'a', {
        DiskPressure: 'True',
        PIDPressure: 'True',
        MemoryPressure: 'True',
        NetworkUnavailable: 'True',
      });
      await stage.until(`${nodes}/${name}`, ({ spec }) => spec?.taints?.length === 5);
      await stage.patch(`${nodes}/${name}`, { spec: { unschedulable: true } });
      await stage.until(`${nodes}/${name}`, hasTaint('node.kubernetes.io/unschedulable', 'NoSchedule'));
      await stage.show('under pressure', `${nodes}/${name}`);
      await stage.patch(`${nodes}/${name}`, { spec: { unschedulable: null } });
      await says(stage, 'a', {
        DiskPressure: 'False',
        PIDPressure: 'Unknown',
        MemoryPressure: 'False',
        NetworkUnavailable: 'False',
      });
      await stage.until(`${nodes}/${name}`, ({ spec }) => spec?.taints?.length === 1);
      // Taints that somebody else writes under their keys.
      await stage.patch(
        `${nodes}/${name}`,
        {
          spec: {
            taints: [
              { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' },
              { key: 'node.kubernetes.io/memory-pressure', effect: 'NoExecute' },
              { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
            ],
          },
        },
        'merge',
      );
      await stage.pause(4_000);
    },
  },
  {
    name: 'notready',
    tells: 'a node that is not ready, and pods with more or less patience',
    compares: [nodes, pods],
    async play(stage) {
      const name = await join(stage, 'a');
      await on(stage, 'a', 'usual');
      await on(stage, 'a', 'never', { tolerations: patient() });
      await on(stage, 'a', 'soon', { tolerations: patient(3), metadata: { finalizers: ['example.com/held'] } });
      await on(stage, 'a', 'atonce', { tolerations: patient(0), metadata: { finalizers: ['example.com/held'] } });
      await on(stage, 'a', 'negative', { tolerations: patient(-1) });
      await on(stage, 'a', 'done', { tolerations: patient(1), phase: 'Succeeded' });
      await says(stage, 'a', { Ready: 'False' });
      await stage.until(`${nodes}/${name}`, hasTaint('node.kubernetes.io/not-ready', 'NoExecute'));
      await stage.until(stage.within(`${pods}/soon`), ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await stage.show('not ready', `${nodes}/${name}`);
      await on(stage, 'a', 'late', { tolerations: patient(300) });
      await stage.pause(2_000);
      await says(stage, 'a', { Ready: 'True' });
      await stage.until(`${nodes}/${name}`, ({ spec }) => (spec?.taints ?? []).length === 0);
      await stage.pause(1_000);
    },
  },
  {
    name: 'silent',
    tells: 'a node that falls silent, and comes back',
    compares: [nodes, pods],
    async play(stage) {
      const name = await join(stage, 'a');
      await on(stage, 'a', 'usual');
      await on(stage, 'a', 'soon', { tolerations: patient(2), metadata: { finalizers: ['example.com/held'] } });
      stage.silence(name);
      await stage.until(`${nodes}/${name}`, hasTaint('node.kubernetes.io/unreachable', 'NoExecute'));
      await stage.until(stage.within(`${pods}/soon`), ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await stage.show('silent', `${nodes}/${name}`);
      await says(stage, 'a', { Ready: 'False' });
      await stage.until(`${nodes}/${name}`, hasTaint('node.kubernetes.io/not-ready', 'NoExecute'));
      await stage.show('not ready', `${nodes}/${name}`);
      await says(stage, 'a', { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' });
      await stage.until(`${nodes}/${name}`, ({ spec }) => (spec?.taints ?? []).length === 0);
    },
  },
  {
    name: 'tainted',
    tells: 'taints that drive pods out, at once, later, or not after all',
    compares: [nodes, pods],
    async play(stage) {
      const name = await join(stage, 'a');
      await on(stage, 'a', 'none');
      await on(stage, 'a', 'slow', { grace: 30 });
      await on(stage, 'a', 'forever', { tolerations: [tolerating('mend'), tolerating('other')] });
      await on(stage, 'a', 'three', {
        tolerations: [tolerating('mend', 3)],
        metadata: { finalizers: ['example.com/held'] },
      });
      await on(stage, 'a', 'long', { tolerations: [tolerating('mend', 600), tolerating('other', 600)] });
      await on(stage, 'a', 'one', {
        tolerations: [tolerating('mend'), tolerating('other', 4)],
        metadata: { finalizers: ['example.com/held'] },
      });
      await stage.patch(`${nodes}/${name}`, { spec: { taints: [{ key: 'mend', value: 'now', effect: 'NoExecute' }] } });
      await stage.until(stage.within(`${pods}/three`), ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await stage.patch(
        `${nodes}/${name}`,
        {
          spec: {
            taints: [
              { key: 'mend', value: 'now', effect: 'NoExecute' },
              { key: 'other', effect: 'NoExecute' },
            ],
          },
        },
        'merge',
      );
      await stage.until(stage.within(`${pods}/one`), ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await stage.patch(stage.within(`${pods}/slow`), { metadata: { labels: { x: 'y' } } }).catch(() => undefined);
      await stage.patch(`${nodes}/${name}`, { spec: { taints: null } }, 'merge');
      await stage.pause(2_000);
      await on(stage, 'a', 'after', {});
      await stage.patch(
        `${nodes}/${name}`,
        {
          spec: {
            taints: [
              { key: 'quiet', effect: 'NoSchedule' },
              { key: 'gentle', effect: 'PreferNoSchedule' },
            ],
          },
        },
        'merge',
      );
      await stage.pause(2_000);
    },
  },
  {
    name: 'gone',
    tells: 'a node that is deleted, and its pods',
    compares: [nodes, pods],
    async play(stage) {
      const name = await join(stage, 'a');
      const held = { finalizers: ['example.com/held'] };
      await on(stage, 'a', 'running', { metadata: held });
      await on(stage, 'a', 'plain');
      await on(stage, 'a', 'done', { phase: 'Succeeded', metadata: held });
      await on(stage, 'a', 'ending', { grace: 600, metadata: held });
      await stage.delete(stage.within(`${pods}/ending`));
      await stage.post(stage.within(pods), pod('waiting', { metadata: held }));
      await stage.delete(stage.within(`${pods}/waiting`));
      stage.silence(name);
      await stage.delete(`${nodes}/${name}`);
      for (const each of ['running', 'done', 'ending'])
        await stage.until(stage.within(`${pods}/${each}`), ({ metadata }) => metadata.deletionGracePeriodSeconds === 0);
      await stage.until(stage.within(`${pods}/waiting`), ({ status }) => status?.phase === 'Failed');
      await stage.pause(1_000);
    },
  },
  {
    name: 'leaseless',
    tells: 'a node without a lease, of which only its own reports tell that it lives; one that is made anew',
    compares: [nodes, pods],
    async play(stage) {
      const made = (name: string): Promise<unknown> =>
        stage.post(nodes, {
          metadata: {
            name: `leaseless-${name}`,
            labels: { ...apart, 'topology.kubernetes.io/zone': 'leaseless' },
            annotations: { 'signalbox.dev/driver': 'hand' },
          },
        });
      await made('a');
      await made('b');
      for (let times = 0; times < 6; times++) {
        for (const name of ['a', 'b']) await says(stage, name, { Ready: 'True' });
        await stage.pause(2_000);
      }
      await stage.show('while it tells', `${nodes}/leaseless-a`, ({ spec }) => spec?.taints);
      await on(stage, 'b', 'kept');
      await stage.delete(`${nodes}/leaseless-b`);
      await made('b');
      await says(stage, 'b', { Ready: 'True' });
      await stage.until(`${nodes}/leaseless-a`, hasTaint('node.kubernetes.io/unreachable', 'NoExecute'));
      await stage.until(`${nodes}/leaseless-b`, hasTaint('node.kubernetes.io/unreachable', 'NoSchedule'));
      await stage.pause(12_000);
    },
  },
  {
    name: 'out',
    tells: 'a node out of service',
    compares: [nodes, pods],
    async play(stage) {
      const name = await join(stage, 'a');
      const held = { finalizers: ['example.com/held'] };
      await on(stage, 'a', 'staying', { tolerations: [{ operator: 'Exists' }], grace: 600 });
      await on(stage, 'a', 'ending', { tolerations: [{ operator: 'Exists' }], grace: 600, metadata: held });
      await on(stage, 'a', 'driven', { grace: 600, metadata: held });
      await stage.delete(stage.within(`${pods}/ending`));
      await says(stage, 'a', { Ready: 'False' });
      await stage.patch(`${nodes}/${name}`, {
        spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }] },
      });
      for (const each of ['ending', 'driven'])
        await stage.until(stage.within(`${pods}/${each}`), ({ metadata }) => metadata.deletionGracePeriodSeconds === 0);
      await stage.pause(3_000);
    },
  },
  {
    name: 'part',
    tells: 'a zone of which most nodes are in trouble',
    compares: [nodes, pods],
    async play(stage) {
      const names = ['a', 'b', 'c', 'd'];
      for (const name of names) {
        await join(stage, name);
        await on(stage, name, `on-${name}`, { tolerations: patient(0) });
      }
      await Promise.all(['a', 'b', 'c'].map((name) => says(stage, name, { Ready: 'False' })));
      for (const name of ['a', 'b', 'c'])
        await stage.until(`${nodes}/part-${name}`, hasTaint('node.kubernetes.io/not-ready', 'NoSchedule'));
      await stage.pause(15_000);
      await stage.show('a, with three of four', `${nodes}/part-a`);
      await stage.show('b, with three of four', `${nodes}/part-b`);
      await says(stage, 'a', { Ready: 'True' });
      await stage.until(`${nodes}/part-b`, hasTaint('node.kubernetes.io/not-ready', 'NoExecute'));
      await stage.until(`${nodes}/part-c`, hasTaint('node.kubernetes.io/not-ready', 'NoExecute'));
    },
  },
  {
    name: 'zone',
    tells: 'a whole zone that is down beside others that are well',
    compares: [nodes, pods],
    async play(stage) {
      for (const name of ['a', 'b', 'c']) {
        await join(stage, name);
        await on(stage, name, `on-${name}`, { tolerations: patient(0) });
      }
      await Promise.all(['a', 'b', 'c'].map((name) => says(stage, name, { Ready: 'False' })));
      for (const name of ['a', 'b', 'c'])
        await stage.until(`${nodes}/zone-${name}`, hasTaint('node.kubernetes.io/not-ready', 'NoExecute'));
    },
  },
  {
    name: 'turns',
    tells: 'nodes that lose their pods one after the other, and one that is well again before its turn',
    compares: [],
    async play(stage) {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const name of names) await join(stage, name);
      const isDriven = hasTaint('node.kubernetes.io/not-ready', 'NoExecute');
      for (const name of ['a', 'b', 'c']) {
        await says(stage, name, { Ready: 'False' });
        await stage.until(`${nodes}/turns-${name}`, hasTaint('node.kubernetes.io/not-ready', 'NoSchedule'));
        await stage.pause(1_200);
      }
      await stage.until(`${nodes}/turns-a`, isDriven);
      await says(stage, 'b', { Ready: 'True' });
      // A turn is ten seconds: of the second, not of the third.
      await stage.pause(12_000);
      for (const name of names) await stage.show(name, `${nodes}/turns-${name}`, (node) => isDriven(node));
    },
  },
  {
    name: 'excluded',
    tells: 'nodes that do not count when a zone is judged',
    compares: [nodes, pods],
    async play(stage) {
      for (const name of ['a', 'b', 'c', 'd']) {
        await join(stage, name, name === 'd' ? {} : { labels: { 'node.kubernetes.io/exclude-disruption': '' } });
        await on(stage, name, `on-${name}`, { tolerations: patient(0) });
      }
      await Promise.all(['a', 'b', 'c'].map((name) => says(stage, name, { Ready: 'False' })));
      for (const name of ['a', 'b', 'c'])
        await stage.until(`${nodes}/excluded-${name}`, hasTaint('node.kubernetes.io/not-ready', 'NoExecute'));
    },
  },
];
