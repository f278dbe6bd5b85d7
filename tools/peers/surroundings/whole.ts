/** Upstream gives ranges from several threads, and takes back what another look at the same node has made needless: which one a node gets is a matter of moments. */
const anyRange = (range = ''): string => (/^10\.64\.\d+\.0\/22$/.test(range) ? 'one of ours' : range);

/** Stories about the cluster as a whole: each is played alone. */
import { hasTaint, join, nodes, on, patient, pods, says } from './nodes.ts';
import type { Seen, Story } from './story.ts';

const evicting = hasTaint('node.kubernetes.io/not-ready', 'NoExecute');

export const wholeStories: readonly Story[] = [
  {
    name: 'ranges',
    tells: 'ranges of addresses, until there are no more',
    compares: [],
    hears: ['Node'],
    async play(stage) {
      const made = async (name: string, spec: object = {}): Promise<void> => {
        const metadata = { name: `ranges-${name}`, annotations: { 'signalbox.dev/driver': 'hand' } };
        await stage.post(nodes, { metadata, spec });
      };
      const given = (name: string): Promise<void> =>
        stage.until(`${nodes}/ranges-${name}`, ({ spec }) => spec?.podCIDR !== undefined);
      const shown = (name: string): Promise<void> =>
        stage.show(name, `${nodes}/ranges-${name}`, ({ spec: { podCIDR, podCIDRs = [], ...spec } = {} }) => ({
          ...{ ...spec, taints: [] },
          podCIDRs: [...podCIDRs, podCIDR].map(anyRange),
        }));
      await made('own', { podCIDR: '10.64.8.0/22', podCIDRs: ['10.64.8.0/22'] });
      await made('foreign', { podCIDR: '10.99.0.0/24', podCIDRs: ['10.99.0.0/24'] });
      for (const name of ['first', 'second']) {
        await made(name);
        await given(name);
        await shown(name);
      }
      // With the anchor there is room for sixty-four.
      const rest = Array.from({ length: 60 }, (_, index) => `n${index}`);
      for (const name of rest) await made(name);
      for (const name of rest) await given(name);
      await made('late');
      await stage.pause(3_000);
      await stage.show('late', `${nodes}/ranges-late`, ({ spec }) => spec?.podCIDR === undefined);
      await stage.delete(`${nodes}/ranges-first`);
      await given('late');
      await shown('late');
      for (const { metadata } of await stage.list(nodes))
        if (metadata.name.startsWith('ranges')) await stage.delete(`${nodes}/${metadata.name}`);
    },
  },
  {
    name: 'dark',
    tells: 'no node is ready any more, then one is',
    compares: [nodes, pods],
    async play(stage) {
      const zoneOf = { a: 'one', b: 'one', c: 'two' };
      for (const [name, zone] of Object.entries(zoneOf)) {
        await join(stage, name, { labels: { 'topology.kubernetes.io/zone': zone } });
        await on(stage, name, `on-${name}`, { tolerations: patient(6) });
      }
      await stage.delete(`${nodes}/anchor`);
      await says(stage, 'a', { Ready: 'False' });
      await stage.until(`${nodes}/dark-a`, evicting);
      await says(stage, 'b', { Ready: 'False' });
      await says(stage, 'c', { Ready: 'False' });
      await stage.until(`${nodes}/dark-a`, (node: Seen) => !evicting(node));
      await stage.pause(9_000);
      for (const name of ['a', 'b', 'c'])
        await stage.show(`${name} in the dark`, `${nodes}/dark-${name}`, ({ spec }) => spec?.taints);
      await says(stage, 'c', { Ready: 'True' });
      for (const name of ['a', 'b']) await stage.until(`${nodes}/dark-${name}`, evicting);
      await stage.pause(8_000);
    },
  },
];
