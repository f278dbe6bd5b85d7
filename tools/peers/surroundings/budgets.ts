import { systemClock, toTimestamp } from './moments.ts';
import type { SeenStatus, Stage, Story } from './story.ts';

const budgets = 'apis/policy/v1/poddisruptionbudgets';
const pods = 'api/v1/pods';

export const pod = (
  name: string,
  more: { readonly labels?: object; readonly spec?: object; readonly metadata?: object } = {},
): object => ({
  metadata: { name, labels: { app: 'web', ...more.labels }, ...more.metadata },
  spec: { containers: [{ name: 'main', image: 'app:1' }], terminationGracePeriodSeconds: 0, ...more.spec },
});

/** Somebody tells it: there is no kubelet. */
export async function becomes(stage: Stage, path: string, ready: boolean, phase = 'Running'): Promise<void> {
  const status = ready ? 'True' : 'False';
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  await stage.patch(`${path}/status`, {
    status: {
      phase,
      conditions: [
        { type: 'Ready', status, lastTransitionTime },
        { type: 'ContainersReady', status, lastTransitionTime },
      ],
    },
  });
}

export async function podsOf(
  stage: Stage,
  names: readonly string[],
  more: Parameters<typeof pod>[1] & { readonly ready?: boolean } = {},
): Promise<void> {
  for (const name of names) {
    await stage.post(stage.within(pods), pod(name, more));
    await becomes(stage, stage.within(`${pods}/${name}`), more.ready ?? true);
  }
}

const budget = (name: string, spec: object, app = 'web'): object => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app } }, ...spec },
});

export const isTrue = (status: SeenStatus | undefined, type: string): boolean =>
  status?.conditions?.some((each) => each.type === type && each.status === 'True') === true;

const evict = (stage: Stage, called: string, name: string, more: object = {}): Promise<void> =>
  stage.tell(called, {
    method: 'POST',
    path: stage.within(`${pods}/${name}/eviction`),
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: stage.name }, ...more },
  });

const settled = (stage: Stage, name: string, is: (status: SeenStatus) => boolean): Promise<void> =>
  stage.until(
    stage.within(`${budgets}/${name}`),
    ({ status, metadata }) => status?.observedGeneration === metadata.generation && is(status ?? {}),
  );

export const budgetStories: readonly Story[] = [
  {
    name: 'nothing',
    tells: 'budgets of nothing, of everything and of a selector that names nobody',
    compares: [budgets, pods],
    async play(stage) {
      await stage.post(stage.within(budgets), budget('least', { minAvailable: 2 }));
      await stage.post(stage.within(budgets), budget('share', { minAvailable: '50%' }));
      await stage.post(stage.within(budgets), budget('most', { maxUnavailable: 1 }));
      await stage.post(stage.within(budgets), { metadata: { name: 'none' }, spec: { minAvailable: 1 } });
      await stage.post(stage.within(budgets), { metadata: { name: 'all' }, spec: { minAvailable: 1, selector: {} } });
      await stage.post(stage.within(budgets), { metadata: { name: 'empty' }, spec: { selector: {} } });
      for (const name of ['least', 'share', 'most', 'none', 'all', 'empty']) await settled(stage, name, () => true);
    },
  },
  {
    name: 'least',
    tells: 'a minimum in numbers: what may go goes, then nobody',
    compares: [budgets, pods],
    async play(stage) {
      await stage.post(stage.within(budgets), budget('web', { minAvailable: 2 }));
      await podsOf(stage, ['a', 'b', 'c']);
      await settled(stage, 'web', ({ currentHealthy }) => currentHealthy === 3);
      await evict(stage, 'other name', 'a', { metadata: { name: 'b' } });
      await evict(stage, 'dry', 'a', { deleteOptions: { dryRun: ['All'] } });
      await evict(stage, 'absent', 'zzz');
      await settled(stage, 'web', ({ disruptionsAllowed }) => disruptionsAllowed === 1);
      await evict(stage, 'first', 'a');
      await settled(stage, 'web', ({ expectedPods }) => expectedPods === 2);
      await evict(stage, 'second', 'b');
      await becomes(stage, stage.within(`${pods}/b`), false);
      await settled(stage, 'web', ({ currentHealthy }) => currentHealthy === 1);
      await evict(stage, 'unready, too few', 'b');
    },
  },
  {
    name: 'asked',
    tells: 'evictions with conditions, of pods that end, and with a budget that just suffices',
    compares: [budgets, pods],
    async play(stage) {
      await podsOf(stage, ['a', 'b', 'c']);
      await podsOf(stage, ['d'], { ready: false });
      await stage.post(
        stage.within(pods),
        pod('held', { metadata: { finalizers: ['example.com/held'], labels: { app: 'other' } } }),
      );
      await becomes(stage, stage.within(`${pods}/held`), true);
      await stage.post(stage.within(budgets), budget('web', { minAvailable: 3 }));
      await settled(stage, 'web', ({ expectedPods, currentHealthy }) => expectedPods === 4 && currentHealthy === 3);
      await evict(stage, 'another uid', 'held', {
        deleteOptions: { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } },
      });
      await evict(stage, 'ready, just enough', 'a');
      await evict(stage, 'unready, just enough', 'd');
      await evict(stage, 'held', 'held');
      await evict(stage, 'held again', 'held');
      await stage.tell('dry run in the request alone', {
        method: 'POST',
        path: `${stage.within(`${pods}/a/eviction`)}?dryRun=All`,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'a' },
          deleteOptions: { gracePeriodSeconds: 5 },
        },
      });
      await settled(stage, 'web', ({ expectedPods }) => expectedPods === 3);
      // Nobody has it on a node: it is given up.
      await stage.until(stage.within(`${pods}/held`), ({ status }) => status?.phase === 'Failed');
    },
  },
  {
    name: 'unmanaged',
    tells: 'a share of pods that nobody manages',
    compares: [budgets, pods],
    async play(stage) {
      await podsOf(stage, ['a', 'b', 'c']);
      await stage.post(stage.within(budgets), budget('share', { minAvailable: '50%' }));
      await settled(stage, 'share', ({ currentHealthy }) => currentHealthy === 3);
      await stage.post(stage.within(budgets), budget('most', { maxUnavailable: 1 }));
      await settled(stage, 'most', ({ currentHealthy }) => currentHealthy === 3);
      await evict(stage, 'two budgets', 'a');
      await stage.delete(stage.within(`${budgets}/share`));
      await evict(stage, 'one budget', 'a');
      await stage.patch(stage.within(`${budgets}/most`), { spec: { maxUnavailable: 2 } }, 'merge');
      await settled(stage, 'most', () => true);
    },
  },
  {
    name: 'unready',
    tells: 'pods that are not ready, by both policies, and with too few that are',
    compares: [budgets, pods],
    async play(stage) {
      await stage.post(stage.within(budgets), budget('web', { minAvailable: 1 }));
      await stage.post(
        stage.within(budgets),
        budget('always', { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, 'always'),
      );
      await stage.post(
        stage.within(budgets),
        budget('budget', { minAvailable: 2, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }, 'budget'),
      );
      await podsOf(stage, ['a', 'b']);
      await podsOf(stage, ['c', 'd', 'e'], { ready: false });
      await podsOf(stage, ['f'], { labels: { app: 'always' } });
      await podsOf(stage, ['g'], { labels: { app: 'always' }, ready: false });
      await podsOf(stage, ['h'], { labels: { app: 'budget' } });
      await podsOf(stage, ['i'], { labels: { app: 'budget' }, ready: false });
      await settled(stage, 'web', ({ expectedPods, currentHealthy }) => expectedPods === 5 && currentHealthy === 2);
      await settled(stage, 'always', ({ expectedPods, currentHealthy }) => expectedPods === 2 && currentHealthy === 1);
      await settled(stage, 'budget', ({ expectedPods, currentHealthy }) => expectedPods === 2 && currentHealthy === 1);
      await evict(stage, 'unready, enough', 'c');
      await evict(stage, 'unready, always', 'g');
      await evict(stage, 'unready, too few', 'i');
      await evict(stage, 'ready, too few', 'h');
      await becomes(stage, stage.within(`${pods}/e`), false, 'Succeeded');
      await evict(stage, 'over', 'e');
      await stage.post(stage.within(pods), pod('new'));
      await evict(stage, 'pending', 'new');
      await stage.pause(1_000);
      await settled(stage, 'web', ({ expectedPods }) => expectedPods === 3);
    },
  },
  {
    name: 'workloads',
    tells: 'shares of what workloads want: of each kind, and of those that nobody knows',
    compares: [budgets],
    hears: ['PodDisruptionBudget'],
    async play(stage) {
      const template = (app: string, more: object = {}): object => ({
        metadata: { labels: { app } },
        spec: { containers: [{ name: 'main', image: 'app:1' }], ...more },
      });
      const four = (app: string): object => ({
        replicas: 4,
        selector: { matchLabels: { app } },
        template: template(app),
      });
      const kinds: readonly (readonly [string, string, (app: string) => object])[] = [
        ['apis/apps/v1/deployments', 'deployment', four],
        ['apis/apps/v1/replicasets', 'replicaset', four],
        [
          'apis/apps/v1/statefulsets',
          'statefulset',
          (app) => ({ ...four(app), serviceName: 'x', podManagementPolicy: 'Parallel' }),
        ],
        ['api/v1/replicationcontrollers', 'controller', (app) => ({ ...four(app), selector: { app } })],
        [
          'apis/batch/v1/jobs',
          'job',
          (app) => ({ completions: 2, parallelism: 2, template: template(app, { restartPolicy: 'Never' }) }),
        ],
      ];
      const number: Record<string, number> = {};
      for (const [resource, kind, more] of kinds)
        for (const by of ['share', 'most']) {
          const app = `${kind}-${by}`;
          await stage.post(stage.within(resource), { metadata: { name: app }, spec: more(app) });
          await stage.post(
            stage.within(budgets),
            budget(app, by === 'share' ? { minAvailable: '30%' } : { maxUnavailable: '30%' }, app),
          );
          number[app] = kind === 'job' ? 2 : 4;
        }
      for (const [app, count] of Object.entries(number))
        for (const { metadata } of await stage.podsOf(app, count))
          await becomes(stage, stage.within(`${pods}/${metadata.name}`), true);
      await stage.pause(2_000);
      await stage.patch(stage.within('apis/apps/v1/deployments/deployment-most'), { spec: { replicas: 6 } });
      await stage.pause(2_000);
    },
  },
  {
    name: 'scaled',
    tells: 'shares of custom resources that can be scaled, that cannot, that are gone',
    compares: [budgets],
    async play(stage) {
      const definition = (plural: string, kind: string, subresources: object): object => ({
        metadata: { name: `${plural}.scaled.example.com` },
        spec: {
          group: 'scaled.example.com',
          scope: 'Namespaced',
          names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
                    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
                  },
                },
              },
              subresources,
            },
          ],
        },
      });
      const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await stage.post(
        crds,
        definition('rollouts', 'Rollout', {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        }),
      );
      await stage.post(crds, definition('plains', 'Plain', {}));
      for (const plural of ['rollouts', 'plains'])
        await stage.until(`${crds}/${plural}.scaled.example.com`, ({ status }) => isTrue(status, 'Established'));
      // Upstream's controllers ask only every half minute what is served.
      await stage.pause(35_000);
      const rollout = await stage.post(stage.within('apis/scaled.example.com/v1/rollouts'), {
        apiVersion: 'scaled.example.com/v1',
        kind: 'Rollout',
        metadata: { name: 'web' },
        spec: { replicas: 4 },
      });
      const plain = await stage.post(stage.within('apis/scaled.example.com/v1/plains'), {
        apiVersion: 'scaled.example.com/v1',
        kind: 'Plain',
        metadata: { name: 'web' },
      });
      const owner = (
        kind: string,
        { metadata }: { readonly metadata: { readonly name: string; readonly uid: string } },
        apiVersion = 'scaled.example.com/v1',
      ): object => ({
        metadata: { ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }] },
      });
      const gone = { metadata: { name: 'gone', uid: '00000000-0000-0000-0000-000000000000' } };
      await podsOf(stage, ['r1', 'r2', 'r3', 'r4'], { labels: { app: 'rollout' }, ...owner('Rollout', rollout) });
      await podsOf(stage, ['p1', 'p2'], { labels: { app: 'plain' }, ...owner('Plain', plain) });
      await podsOf(stage, ['u1'], { labels: { app: 'unserved' }, ...owner('Unserved', gone) });
      for (const app of ['rollout', 'plain', 'unserved'])
        await stage.post(stage.within(budgets), budget(app, { minAvailable: '60%' }, app));
      await stage.pause(4_000);
      await evict(stage, 'of a plain one', 'p1');
      await evict(stage, 'of a rollout', 'r1');
      await stage.pause(2_000);
    },
  },
  {
    name: 'daemons',
    tells: 'a share of daemon pods',
    compares: [budgets],
    async play(stage) {
      await stage.post(stage.within('apis/apps/v1/daemonsets'), {
        metadata: { name: 'each' },
        spec: {
          selector: { matchLabels: { app: 'each' } },
          template: {
            metadata: { labels: { app: 'each' } },
            spec: { nodeSelector: { no: 'where' }, containers: [{ name: 'main', image: 'app:1' }] },
          },
        },
      });
      await stage.post(stage.within(budgets), budget('each', { maxUnavailable: 1 }, 'each'));
      await stage.pause(2_000);
    },
  },
  {
    name: 'forgotten',
    tells: 'pods that were let go and stayed, and who was told of a disruption that never came',
    compares: [budgets, pods],
    async play(stage) {
      await podsOf(stage, ['a', 'b', 'c']);
      await stage.post(stage.within(budgets), budget('web', { minAvailable: 1 }));
      await settled(stage, 'web', ({ currentHealthy }) => currentHealthy === 3);
      const ago = toTimestamp(systemClock.nowMs() - 118_000);
      const long = toTimestamp(systemClock.nowMs() - 300_000);
      await stage.patch(
        stage.within(`${budgets}/web/status`),
        { status: { disruptedPods: { a: ago, b: long, gone: ago } } },
        'merge',
      );
      await stage.patch(stage.within(`${pods}/c/status`), {
        status: {
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'True',
              reason: 'PreemptionByScheduler',
              message: 'x',
              lastTransitionTime: ago,
            },
          ],
        },
      });
      await stage.patch(stage.within(`${pods}/b/status`), {
        status: {
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'True',
              reason: 'TerminationByKubelet',
              message: 'x',
              lastTransitionTime: ago,
            },
          ],
        },
      });
      await stage.pause(8_000);
    },
  },
];
