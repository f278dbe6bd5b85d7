import { becomes, pod } from './budgets.ts';
import { join } from './nodes.ts';
import type { Stage, Story } from './story.ts';

const services = 'api/v1/services';
const pods = 'api/v1/pods';
const endpoints = 'api/v1/endpoints';
const slices = 'apis/discovery.k8s.io/v1/endpointslices';

async function place(stage: Stage, name: string, node: string, ip: string, labels: object = {}): Promise<void> {
  await stage.post(
    stage.within(pods),
    pod(name, {
      labels,
      spec: {
        nodeName: `${stage.name}-${node}`,
        containers: [{ name: 'main', image: 'a', ports: [{ name: 'http', containerPort: 8080 }] }],
      },
    }),
  );
  await becomes(stage, stage.within(`${pods}/${name}`), true);
  await stage.patch(`${stage.within(`${pods}/${name}`)}/status`, { status: { podIP: ip, podIPs: [{ ip }] } });
}

const service = (name: string, spec: object, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { ports: [{ port: 80, targetPort: 'http' }], ...spec },
});

export const endpointStories: readonly Story[] = [
  {
    name: 'mirrored',
    tells: 'endpoints by hand, for services without a selector',
    compares: [endpoints, slices],
    async play(stage) {
      const made = (name: string, subsets: object, metadata: object = {}): Promise<unknown> =>
        stage.post(stage.within(endpoints), { metadata: { name, ...metadata }, subsets });
      const ports = [{ port: 80 }];
      for (const name of ['plain', 'two', 'six', 'skipped', 'leader', 'empty', 'later', 'gone', 'taken', 'many']) {
        await stage.post(stage.within(services), { metadata: { name }, spec: { ports } });
      }
      await made(
        'plain',
        [
          {
            addresses: [
              { ip: '10.9.0.1', hostname: 'a', nodeName: 'n' },
              { ip: '10.9.0.2', targetRef: { kind: 'Pod', name: 'p', namespace: 'x' } },
            ],
            notReadyAddresses: [{ ip: '10.9.0.3' }],
            ports: [{ name: 'web', port: 80, appProtocol: 'http' }],
          },
        ],
        {
          labels: { own: 'x' },
          annotations: { note: 'y', 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z' },
        },
      );
      await made('two', [
        { addresses: [{ ip: '10.9.1.1' }], ports },
        { addresses: [{ ip: '10.9.1.2' }], ports: [{ port: 81, protocol: 'UDP' }] },
        { addresses: [{ ip: '10.9.1.1' }, { ip: '10.9.1.5' }], ports },
      ]);
      await made('six', [{ addresses: [{ ip: '10.9.2.1' }, { ip: 'fd00::1' }], ports }]);
      await made('skipped', [{ addresses: [{ ip: '10.9.3.1' }], ports }], {
        labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
      });
      await made('leader', [{ addresses: [{ ip: '10.9.4.1' }], ports }], {
        annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' },
      });
      await made('empty', []);
      await made('nobody', [{ addresses: [{ ip: '10.9.5.1' }], ports }]);
      await made('later', [{ addresses: [{ ip: '10.9.6.1' }], ports }]);
      await made('gone', [{ addresses: [{ ip: '10.9.7.1' }], ports }]);
      await made('taken', [{ addresses: [{ ip: '10.9.8.1' }] }]);
      await made('many', [
        {
          addresses: Array.from({ length: 1_002 }, (_, index) => ({
            ip: `10.10.${Math.floor(index / 250)}.${(index % 250) + 1}`,
          })),
          ports,
        },
      ]);
      await stage.pause(3_000);
      await stage.patch(
        stage.within(`${endpoints}/later`),
        {
          subsets: [{ addresses: [{ ip: '10.9.6.2' }, { ip: '10.9.6.1' }], ports: [{ name: 'x', port: 99 }] }],
          metadata: { labels: { changed: 'x' } },
        },
        'merge',
      );
      await stage.delete(stage.within(`${endpoints}/gone`));
      await stage.patch(stage.within(`${services}/taken`), { spec: { selector: { app: 'web' } } }, 'merge');
      await stage.pause(3_000);
    },
  },
  {
    name: 'hinted',
    tells: 'for whose clients an endpoint is meant',
    compares: [slices],
    async play(stage) {
      for (const [index, name] of ['a', 'b', 'c'].entries()) {
        await join(stage, name, {
          works: true,
          labels: { 'topology.kubernetes.io/zone': `hinted-${name}`, 'topology.kubernetes.io/region': 'hinted' },
        });
        for (const each of ['x', 'y'])
          await place(stage, `${name}${each}`, name, `10.20.${index}.${each === 'x' ? 1 : 2}`);
      }
      await stage.post(stage.within(services), service('none', { selector: { app: 'web' } }));
      await stage.post(
        stage.within(services),
        service('close', { selector: { app: 'web' }, trafficDistribution: 'PreferClose' }),
      );
      await stage.post(
        stage.within(services),
        service('zone', { selector: { app: 'web' }, trafficDistribution: 'PreferSameZone' }),
      );
      await stage.post(
        stage.within(services),
        service('node', { selector: { app: 'web' }, trafficDistribution: 'PreferSameNode' }),
      );
      await stage.post(
        stage.within(services),
        service(
          'auto',
          { selector: { app: 'web' } },
          { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } },
        ),
      );
      await stage.post(
        stage.within(services),
        service(
          'both',
          { selector: { app: 'web' }, trafficDistribution: 'PreferClose' },
          { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } },
        ),
      );
      await stage.post(
        stage.within(services),
        service(
          'head',
          {
            clusterIP: 'None',
            selector: { app: 'web' },
            publishNotReadyAddresses: true,
            trafficDistribution: 'PreferClose',
          },
          { labels: { own: 'x' } },
        ),
      );
      await stage.pause(3_000);
      await stage.show('a slice of auto', stage.within(`${slices}?labelSelector=kubernetes.io/service-name%3Dauto`));
      await becomes(stage, stage.within(`${pods}/ax`), false);
      await stage.delete(stage.within(`${pods}/by`));
      await stage.patch(stage.within(`${services}/close`), { spec: { trafficDistribution: null } }, 'merge');
      await stage.pause(5_000);
    },
  },
  {
    name: 'packed',
    tells: 'more pods than a slice holds, and fewer again',
    compares: [],
    hears: ['Service'],
    async play(stage) {
      await join(stage, 'a');
      await stage.post(stage.within(services), service('web', { selector: { app: 'web' }, ports: [{ port: 80 }] }));
      const names = Array.from({ length: 130 }, (_, index) => `p${index}`);
      const sizes = async (called: string): Promise<void> => {
        await stage.pause(4_000);
        const found = (await stage.list(stage.within(slices))) as readonly { readonly endpoints?: readonly object[] }[];
        const counts = found.map(({ endpoints: held = [] }) => held.length).sort((a, b) => a - b);
        await stage.show(called, stage.within(`${services}/web`), () => counts);
      };
      const make = (name: string, index: number): Promise<void> =>
        place(stage, name, 'a', `10.40.${Math.floor(index / 250)}.${(index % 250) + 1}`);
      for (const [index, name] of names.entries()) await make(name, index);
      await sizes('at once');
      for (const name of names.slice(0, 60)) await stage.delete(stage.within(`${pods}/${name}`));
      await sizes('fewer');
      const [found] = (await stage.list(stage.within(endpoints))) as readonly {
        readonly subsets?: readonly { readonly addresses?: readonly object[] }[];
      }[];
      await stage.show('addresses', stage.within(`${services}/web`), () =>
        found?.subsets?.map(({ addresses = [] }) => addresses.length),
      );
    },
  },
  {
    name: 'served',
    tells: 'services of all kinds, and pods in all states',
    compares: [endpoints, slices],
    async play(stage) {
      await join(stage, 'a');
      await place(stage, 'ready', 'a', '10.30.0.1');
      await place(stage, 'unready', 'a', '10.30.0.2');
      await becomes(stage, stage.within(`${pods}/unready`), false);
      await place(stage, 'done', 'a', '10.30.0.3');
      await becomes(stage, stage.within(`${pods}/done`), false, 'Succeeded');
      await stage.post(stage.within(pods), pod('waiting'));
      await stage.post(
        stage.within(pods),
        pod('hosted', {
          metadata: { finalizers: ['example.com/held'], labels: { app: 'web', own: 'x' } },
          spec: { hostname: 'hosted', subdomain: 'head', nodeName: 'served-a' },
        }),
      );
      await becomes(stage, stage.within(`${pods}/hosted`), true);
      await stage.patch(`${stage.within(`${pods}/hosted`)}/status`, {
        status: { podIP: '10.30.0.4', podIPs: [{ ip: '10.30.0.4' }] },
      });
      const selector = { app: 'web' };
      await stage.post(
        stage.within(services),
        service(
          'plain',
          {
            selector,
            ports: [
              { name: 'a', port: 80 },
              { name: 'b', port: 81, targetPort: 'http', protocol: 'TCP', appProtocol: 'http' },
              { name: 'c', port: 82, targetPort: 'none' },
            ],
          },
          { labels: { tier: 'x' }, annotations: { note: 'x' } },
        ),
      );
      await stage.post(stage.within(services), service('head', { selector, clusterIP: 'None', ports: [] }));
      await stage.post(
        stage.within(services),
        service('all', { selector, publishNotReadyAddresses: true, ports: [{ port: 80 }] }),
      );
      await stage.post(
        stage.within(services),
        service('away', { type: 'ExternalName', externalName: 'example.com', selector }),
      );
      await stage.post(stage.within(services), service('nobody', { selector: { app: 'none' } }));
      await stage.post(stage.within(services), service('going', { selector }));
      await stage.pause(2_000);
      await stage.delete(stage.within(`${pods}/hosted`));
      await stage.delete(stage.within(`${services}/going`));
      await stage.patch(stage.within(`${services}/plain`), { metadata: { labels: { tier: 'y' } } });
      await stage.pause(4_000);
    },
  },
];
