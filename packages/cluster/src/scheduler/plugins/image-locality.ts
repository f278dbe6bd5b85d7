import type { NodeView } from '../node-view.ts';
import type { SchedulerPlugin } from '../plugin.ts';
import type { PodView } from '../pod-view.ts';
import type { Snapshot } from '../snapshot.ts';

const mebibyte = 2 ** 20;
/** Less is pulled in no time. */
const worthBytesMin = 23 * mebibyte;
/** Of one container; more makes no difference. */
const worthBytesMax = 1000 * mebibyte;

/** Prefers nodes that have the pod's images already; one that few nodes have counts less, lest they all go there. */
export const imageLocality: SchedulerPlugin = {
  name: 'ImageLocality',
  wakesOn: [],
  isIndifferent: (pod, { snapshot }) => !isKnown(imagesOf(pod), snapshot),
  rank(pod, nodes, { snapshot }) {
    const { images } = snapshot;
    const wanted = imagesOf(pod);
    if (!isKnown(wanted, snapshot)) return undefined;
    const total = snapshot.nodes.length;
    return nodes.map((node) => {
      let bytes = 0;
      for (const image of wanted) bytes += Math.trunc(sizeOn(node, image) * ((images.get(image) ?? 0) / total));
      const most = worthBytesMax * wanted.length;
      const counted = Math.min(Math.max(bytes, worthBytesMin), most);
      return Math.trunc((100 * (counted - worthBytesMin)) / (most - worthBytesMin));
    });
  },
};

function isKnown(wanted: readonly string[], { images }: Snapshot): boolean {
  return images.size > 0 && wanted.some((image) => images.has(image));
}

function sizeOn({ images }: NodeView, image: string): number {
  return images.get(image) ?? 0;
}

function imagesOf({ pod: { spec } }: PodView): readonly string[] {
  return [...(spec.initContainers ?? []), ...spec.containers].map(({ image = '' }) => withTag(image));
}

/** As nodes name them: `latest` where no tag is given. */
function withTag(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
