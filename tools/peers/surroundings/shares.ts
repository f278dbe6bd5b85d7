/** Quotas, accounts, certificates, what ends after a while. */
import { becomes, isTrue, pod } from './budgets.ts';
import { join } from './nodes.ts';
import type { Stage, Story } from './story.ts';

const quotas = 'api/v1/resourcequotas';
const pods = 'api/v1/pods';
const secrets = 'api/v1/secrets';
const accounts = 'api/v1/serviceaccounts';
const configmaps = 'api/v1/configmaps';

const quota = (name: string, hard: object, more: object = {}): object => ({
  metadata: { name },
  spec: { hard, ...more },
});
const used = (stage: Stage, name: string, is: (used: Readonly<Record<string, string>>) => boolean): Promise<void> =>
  stage.until(stage.within(`${quotas}/${name}`), ({ status }) => status?.used !== undefined && is(status.used));

const sized = (requests: object, limits: object = {}, more: object = {}): object => ({
  containers: [{ name: 'main', image: 'app:1', resources: { requests, limits } }],
  ...more,
});

export const shareStories: readonly Story[] = [
  {
    name: 'charged',
    tells: 'what quotas count: pods of all scopes, services, claims, anything',
    compares: [quotas],
    async play(stage) {
      await stage.post('/apis/scheduling.k8s.io/v1/priorityclasses', {
        metadata: { name: 'charged-high' },
        value: 1000,
      });
      const all = { pods: '20', 'requests.cpu': '10', 'limits.memory': '10Gi', cpu: '10', 'count/pods': '30' };
      await stage.post(
        stage.within(quotas),
        quota('all', {
          ...all,
          'requests.ephemeral-storage': '10Gi',
          'requests.example.com/gpu': '4',
          services: '9',
          'services.nodeports': '9',
          'services.loadbalancers': '3',
          'requests.storage': '100Gi',
          persistentvolumeclaims: '5',
          'fast.storageclass.storage.k8s.io/requests.storage': '50Gi',
          'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '5',
          configmaps: '20',
          secrets: '20',
          replicationcontrollers: '2',
          resourcequotas: '20',
          'count/deployments.apps': '3',
          'count/jobs.batch': '3',
        }),
      );
      await stage.post(stage.within(quotas), quota('best', { pods: '20' }, { scopes: ['BestEffort'] }));
      await stage.post(stage.within(quotas), quota('notbest', { pods: '20', cpu: '5' }, { scopes: ['NotBestEffort'] }));
      await stage.post(stage.within(quotas), quota('ending', { pods: '20' }, { scopes: ['Terminating'] }));
      await stage.post(stage.within(quotas), quota('lasting', { pods: '20' }, { scopes: ['NotTerminating'] }));
      await stage.post(
        stage.within(quotas),
        quota(
          'high',
          { pods: '20' },
          {
            scopeSelector: {
              matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['charged-high'] }],
            },
          },
        ),
      );
      await stage.post(
        stage.within(quotas),
        quota(
          'anyclass',
          { pods: '20' },
          { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } },
        ),
      );
      await stage.post(
        stage.within(quotas),
        quota(
          'noclass',
          { pods: '20' },
          {
            scopeSelector: {
              matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['charged-high'] }],
            },
          },
        ),
      );
      await stage.post(stage.within(quotas), quota('cross', { pods: '20' }, { scopes: ['CrossNamespacePodAffinity'] }));
      for (const name of ['all', 'best', 'notbest', 'ending', 'lasting', 'high', 'anyclass', 'noclass', 'cross'])
        await used(stage, name, () => true);
      const limits = { cpu: '200m', memory: '100Mi' };
      const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: {}, namespaces: ['default'] };
      await stage.post(
        stage.within(pods),
        pod('sized', {
          spec: sized(
            { cpu: '100m', 'ephemeral-storage': '1Gi', 'example.com/gpu': '1' },
            { ...limits, 'example.com/gpu': '1' },
          ),
        }),
      );
      await stage.post(
        stage.within(pods),
        pod('init', {
          spec: sized({ cpu: '100m' }, limits, {
            initContainers: [
              {
                name: 'a',
                image: 'a',
                resources: { requests: { cpu: '300m' }, limits: { cpu: '300m', memory: '50Mi' } },
              },
              {
                name: 'b',
                image: 'a',
                restartPolicy: 'Always',
                resources: { requests: { cpu: '50m' }, limits: { cpu: '50m', memory: '50Mi' } },
              },
            ],
          }),
        }),
      );
      await stage.post(
        stage.within(pods),
        pod('high', {
          spec: sized({ cpu: '100m' }, limits, { priorityClassName: 'charged-high', activeDeadlineSeconds: 600 }),
        }),
      );
      await stage.post(
        stage.within(pods),
        pod('cross', {
          spec: sized({ cpu: '100m' }, limits, {
            affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
          }),
        }),
      );
      await stage.post(stage.within(pods), pod('done', { spec: sized({ cpu: '100m' }, limits) }));
      await stage.tell('nothing asked', { method: 'POST', path: stage.within(pods), body: pod('besteffort') });
      await becomes(stage, stage.within(`${pods}/done`), false, 'Succeeded');
      await stage.post(stage.within('api/v1/services'), {
        metadata: { name: 'a' },
        spec: {
          type: 'LoadBalancer',
          ports: [{ port: 80 }, { name: 'b', port: 81, protocol: 'UDP' }].map((each, index) => ({
            name: `p${index}`,
            ...each,
          })),
        },
      });
      await stage.post(stage.within('api/v1/services'), {
        metadata: { name: 'b' },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      });
      await stage.post(stage.within('api/v1/services'), { metadata: { name: 'c' }, spec: { ports: [{ port: 80 }] } });
      await stage.post(stage.within('api/v1/services'), {
        metadata: { name: 'd' },
        spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
      });
      await stage.post(stage.within('api/v1/persistentvolumeclaims'), {
        metadata: { name: 'a' },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
      });
      await stage.post(stage.within('api/v1/persistentvolumeclaims'), {
        metadata: { name: 'b' },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '2Gi' } } },
      });
      await stage.post(stage.within('apis/apps/v1/deployments'), {
        metadata: { name: 'a' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'a' } },
          template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'a' }] } },
        },
      });
      await stage.post(stage.within(configmaps), { metadata: { name: 'a' } });
      await used(stage, 'all', ({ pods: count }) => count === '4');
      await stage.show('full', stage.within(`${quotas}/all`));
      await stage.delete(stage.within(`${pods}/init`));
      await stage.delete(stage.within(`${pods}/done`));
      await stage.delete(stage.within('api/v1/services/a'));
      await stage.delete(stage.within(`${configmaps}/a`));
      await used(
        stage,
        'all',
        ({ pods: count, services, configmaps: maps }) => count === '3' && services === '3' && maps === '1',
      );
      await stage.patch(stage.within(`${quotas}/all`), { spec: { hard: { pods: '2', cpu: null } } }, 'merge');
      await stage.pause(2_000);
      await stage.tell('beyond', {
        method: 'POST',
        path: stage.within(pods),
        body: pod('beyond', {
          spec: sized(
            { cpu: '100m', 'ephemeral-storage': '1Gi', 'example.com/gpu': '1' },
            { ...limits, 'example.com/gpu': '1' },
          ),
        }),
      });
    },
  },
  {
    name: 'known',
    tells: 'accounts that come and go, their tokens, and the certificate that everybody trusts',
    compares: [accounts],
    async play(stage) {
      await stage.until(stage.within(`${configmaps}/kube-root-ca.crt`), () => true);
      const token = (name: string, account: string, more: object = {}): object => ({
        metadata: { name, annotations: { 'kubernetes.io/service-account.name': account, ...more } },
        type: 'kubernetes.io/service-account-token',
      });
      await stage.post(stage.within(accounts), { metadata: { name: 'robot' } });
      await stage.post(stage.within(secrets), token('robot-token', 'robot'));
      await stage.post(stage.within(secrets), token('kept-token', 'robot'));
      await stage.tell('of nobody', { method: 'POST', path: stage.within(secrets), body: token('nobody', 'nobody') });
      await stage.tell('of another uid', {
        method: 'POST',
        path: stage.within(secrets),
        body: token('other', 'robot', { 'kubernetes.io/service-account.uid': 'x' }),
      });
      await stage.until(stage.within(`${secrets}/robot-token`), ({ data }) => data?.['token'] !== undefined);
      await stage.patch(
        stage.within(`${secrets}/kept-token`),
        { data: { token: null, 'ca.crt': 'eA==', extra: 'eA==' } },
        'merge',
      );
      await stage.until(
        stage.within(`${secrets}/kept-token`),
        ({ data }) => data?.['token'] !== undefined && data['ca.crt'] !== 'eA==',
      );
      await stage.show('filled', stage.within(`${secrets}/kept-token`), ({ data = {} }) => ({
        ...data,
        token: '',
        'ca.crt': '',
      }));
      await stage.patch(
        stage.within(`${configmaps}/kube-root-ca.crt`),
        { data: { 'ca.crt': 'x', more: 'y' }, metadata: { labels: { mine: 'x' } } },
        'merge',
      );
      await stage.until(stage.within(`${configmaps}/kube-root-ca.crt`), ({ data }) => data?.['ca.crt'] !== 'x');
      await stage.show('put right', stage.within(`${configmaps}/kube-root-ca.crt`), ({ data, metadata }) => [
        data,
        metadata.labels,
      ]);
      await stage.post(stage.within(accounts), {
        metadata: { name: 'listed' },
        secrets: [{ name: 'listed-token' }, { name: 'other' }],
        imagePullSecrets: [{ name: 'listed-token' }],
      });
      await stage.post(stage.within(secrets), token('listed-token', 'listed'));
      await stage.until(stage.within(`${secrets}/listed-token`), ({ data }) => data?.['token'] !== undefined);
      await stage.delete(stage.within(`${secrets}/listed-token`));
      await stage.delete(stage.within(`${configmaps}/kube-root-ca.crt`));
      await stage.delete(stage.within(`${accounts}/robot`));
      await stage.delete(stage.within(`${accounts}/default`));
      await stage.pause(3_000);
      await stage.tell('pod of nobody', {
        method: 'POST',
        path: stage.within(pods),
        body: pod('x', { spec: { serviceAccountName: 'robot' } }),
      });
      await stage.until(stage.within(`${accounts}/default`), () => true);
      await stage.until(stage.within(`${configmaps}/kube-root-ca.crt`), () => true);
      const left = (await stage.list(stage.within(secrets))).map(({ metadata }) => metadata.name);
      await stage.show('secrets that are left', stage.within(`${accounts}/default`), () => left);
    },
  },
  {
    name: 'counted',
    tells: 'quotas of custom resources, and of many that come at once',
    compares: [quotas],
    async play(stage) {
      const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const things = 'apis/counted.example.com/v1/things';
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
      await stage.post(crds, {
        metadata: { name: 'things.counted.example.com' },
        spec: {
          group: 'counted.example.com',
          scope: 'Namespaced',
          names: { plural: 'things', kind: 'Thing' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
      await stage.until(`${crds}/things.counted.example.com`, ({ status }) => isTrue(status, 'Established'));
      const thing = (name: string): object => ({
        apiVersion: 'counted.example.com/v1',
        kind: 'Thing',
        metadata: { name },
      });
      await stage.post(stage.within(things), thing('before'));
      // Upstream's controllers ask only every half minute what is served.
      await stage.pause(35_000);
      await stage.post(
        stage.within(quotas),
        quota('things', { 'count/things.counted.example.com': '3', 'count/leases.coordination.k8s.io': '2' }),
      );
      await used(stage, 'things', (all) => all['count/things.counted.example.com'] === '1');
      await stage.post(stage.within(things), thing('second'));
      await stage.post(stage.within(things), thing('third'));
      await stage.tell('one too many', { method: 'POST', path: stage.within(things), body: thing('fourth') });
      await stage.delete(stage.within(`${things}/second`));
      await used(stage, 'things', (all) => all['count/things.counted.example.com'] === '2');
      await stage.post(stage.within(quotas), quota('pods', { pods: '5' }));
      await stage.post(stage.within(quotas), quota('more', { pods: '4', configmaps: '20' }));
      await used(stage, 'more', () => true);
      await used(stage, 'pods', () => true);
      await stage.pause(1_000);
      await stage.post(stage.within('apis/apps/v1/replicasets'), {
        metadata: { name: 'many' },
        spec: {
          replicas: 9,
          selector: { matchLabels: { app: 'many' } },
          template: { metadata: { labels: { app: 'many' } }, spec: { containers: [{ name: 'main', image: 'a' }] } },
        },
      });
      await used(stage, 'more', ({ pods: count }) => count === '4');
      await stage.patch(stage.within('apis/apps/v1/replicasets/many'), { spec: { replicas: 1 } });
      await used(stage, 'more', ({ pods: count }) => count === '1');
    },
    hears: ['ResourceQuota'],
  },
  {
    name: 'resized',
    tells: 'what a pod holds that gets another size, until its node has given it',
    compares: [quotas],
    async play(stage) {
      await stage.post(stage.within(quotas), quota('all', { 'requests.cpu': '2', 'limits.cpu': '4', pods: '9' }));
      await used(stage, 'all', () => true);
      await join(stage, 'a');
      const at = stage.within(`${pods}/p`);
      await stage.post(
        stage.within(pods),
        pod('p', { spec: sized({ cpu: '400m' }, { cpu: '800m' }, { nodeName: 'resized-a' }) }),
      );
      await becomes(stage, at, true);
      const resources = { requests: { cpu: '400m' }, limits: { cpu: '800m' } };
      const running = { name: 'main', image: 'app:1', imageID: 'x', ready: true, restartCount: 0, resources };
      await stage.patch(`${at}/status`, {
        status: { containerStatuses: [{ ...running, allocatedResources: { cpu: '400m' } }] },
      });
      await used(stage, 'all', (all) => all['requests.cpu'] === '400m');
      const resize = (cpu: string, limit: string): object => ({
        spec: { containers: [{ name: 'main', resources: { requests: { cpu }, limits: { cpu: limit } } }] },
      });
      await stage.patch(`${at}/resize`, resize('600m', '1'));
      await stage.pause(2_000);
      await stage.show('larger', stage.within(`${quotas}/all`), ({ status }) => status?.used);
      await stage.patch(`${at}/resize`, resize('100m', '200m'));
      await stage.pause(2_000);
      await stage.show('smaller, not given yet', stage.within(`${quotas}/all`), ({ status }) => status?.used);
      const small = { requests: { cpu: '100m' }, limits: { cpu: '200m' } };
      await stage.patch(`${at}/status`, {
        status: { containerStatuses: [{ ...running, resources: small, allocatedResources: { cpu: '100m' } }] },
      });
      await stage.pause(2_000);
      await stage.show('smaller', stage.within(`${quotas}/all`), ({ status }) => status?.used);
      await stage.tell('too large', { method: 'PATCH', path: `${at}/resize`, body: resize('3', '4') });
    },
  },
  {
    name: 'over',
    tells: 'Jobs that have ended, some of which go by themselves',
    compares: ['apis/batch/v1/jobs', pods],
    async play(stage) {
      const job = (name: string, more: object): object => ({
        metadata: { name },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] } }, ...more },
      });
      const jobs = 'apis/batch/v1/jobs';
      await stage.post(stage.within(jobs), job('atonce', { ttlSecondsAfterFinished: 0 }));
      await stage.post(stage.within(jobs), job('soon', { ttlSecondsAfterFinished: 3 }));
      await stage.post(stage.within(jobs), job('never', {}));
      await stage.post(stage.within(jobs), job('later', {}));
      await stage.post(stage.within(jobs), job('failed', { ttlSecondsAfterFinished: 2, backoffLimit: 0 }));
      for (const name of ['atonce', 'soon', 'never', 'later', 'failed']) {
        for (const { metadata } of await stage.podsOf(name, 1, 'job-name'))
          await becomes(
            stage,
            stage.within(`${pods}/${metadata.name}`),
            false,
            name === 'failed' ? 'Failed' : 'Succeeded',
          );
      }
      await stage.until(stage.within(`${jobs}/later`), ({ status }) => isTrue(status, 'Complete'));
      await stage.patch(stage.within(`${jobs}/later`), { spec: { ttlSecondsAfterFinished: 1 } });
      await stage.pause(7_000);
    },
  },
  {
    name: 'runtime',
    tells: 'what a runtime takes for itself, and what limits add',
    compares: [pods, quotas],
    async play(stage) {
      await stage.post('/apis/node.k8s.io/v1/runtimeclasses', {
        metadata: { name: 'runtime-kata' },
        handler: 'kata',
        overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
        scheduling: { nodeSelector: { kata: 'yes' }, tolerations: [{ key: 'kata', operator: 'Exists' }] },
      });
      await stage.post(stage.within(quotas), quota('all', { 'requests.cpu': '4', 'limits.memory': '4Gi', pods: '9' }));
      await stage.post(stage.within('api/v1/limitranges'), {
        metadata: { name: 'x' },
        spec: {
          limits: [
            {
              type: 'Container',
              default: { cpu: '400m', memory: '300Mi' },
              defaultRequest: { cpu: '100m' },
              max: { cpu: '2' },
              min: { cpu: '10m' },
              maxLimitRequestRatio: { cpu: '8' },
            },
            { type: 'Pod', max: { memory: '2Gi' } },
          ],
        },
      });
      await used(stage, 'all', () => true);
      await stage.pause(1_000);
      const kata = { runtimeClassName: 'runtime-kata' };
      await stage.post(stage.within(pods), pod('plain', { spec: kata }));
      await stage.post(
        stage.within(pods),
        pod('asked', {
          spec: {
            ...kata,
            overhead: { cpu: '250m', memory: '120Mi' },
            nodeSelector: { other: 'x' },
            tolerations: [{ key: 'own', operator: 'Exists' }],
          },
        }),
      );
      await stage.tell('other overhead', {
        method: 'POST',
        path: stage.within(pods),
        body: pod('x', { spec: { ...kata, overhead: { cpu: '1m' } } }),
      });
      await stage.tell('other selector', {
        method: 'POST',
        path: stage.within(pods),
        body: pod('x', { spec: { ...kata, nodeSelector: { kata: 'no' } } }),
      });
      await stage.tell('no class', {
        method: 'POST',
        path: stage.within(pods),
        body: pod('x', { spec: { runtimeClassName: 'none' } }),
      });
      await stage.tell('overhead alone', {
        method: 'POST',
        path: stage.within(pods),
        body: pod('x', { spec: { overhead: { cpu: '1m' } } }),
      });
      await stage.tell('too much', {
        method: 'POST',
        path: stage.within(pods),
        body: pod('x', { spec: sized({ cpu: '3' }, { cpu: '4', memory: '3Gi' }) }),
      });
      await stage.tell('too wide', {
        method: 'POST',
        path: stage.within(pods),
        body: pod('x', { spec: sized({ cpu: '10m' }, { cpu: '1' }) }),
      });
      await used(stage, 'all', ({ pods: count }) => count === '2');
    },
  },
];
