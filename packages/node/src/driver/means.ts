import type { Clock, Pod, PodEvent, Random, Service } from '@signalbox/cluster';
import type { Images } from '../images/images.ts';
import type { NodeFacts } from '../pod/around.ts';
import type { Inside } from '../protocol/inside.ts';
import type { Addresses } from './addresses.ts';
import type { Objects } from './objects.ts';
import type { Tokens } from './tokens.ts';

/** What the pods of a node are run by. */
export interface Means {
  /** The one of now: it is another one after it died. */
  readonly inside: () => Inside;
  readonly clock: Clock;
  readonly random: Random;
  readonly objects: Objects;
  readonly tokens: Tokens;
  readonly images: Images;
  readonly addresses: Addresses;
  readonly node: NodeFacts;
  readonly services: () => readonly Service[];
  /** Something of the pod is other than it was. */
  changed(pod: Pod): void;
  happened(pod: Pod, event: PodEvent): void;
}
