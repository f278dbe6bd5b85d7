/** Which backend a client gets: any, or for a while the one that it had. */
import type { Clock } from '@signalbox/cluster';
import type { Backend } from '../../protocol/network.ts';

export interface Chooser {
  /** The one to try first, and those to try after it. */
  order(client: string): readonly Backend[];
  /** The client was served by it. */
  took(client: string, backend: Backend): void;
  update(backends: readonly Backend[], affinitySeconds: number | undefined): void;
}

export interface ChooserTools {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** In [0, 1). */
  chance(): number;
}

/** The client that came least lately is forgotten first. */
const clientsMax = 10_000;

export function createChooser({ clock, chance }: ChooserTools): Chooser {
  let backends: ReadonlyMap<string, Backend> = new Map();
  let affinityMs: number | undefined;
  const kept = new Map<string, { readonly key: string; readonly untilMs: number }>();
  const keptBy = (client: string): Backend | undefined => {
    const place = kept.get(client);
    return place === undefined || place.untilMs <= clock.nowMs() ? undefined : backends.get(place.key);
  };
  return {
    order(client) {
      const all = [...backends.values()];
      const first = Math.floor(chance() * all.length);
      const any = [...all.slice(first), ...all.slice(0, first)];
      const own = keptBy(client);
      return own === undefined ? any : [own, ...any.filter((backend) => backend !== own)];
    },
    took(client, backend) {
      if (affinityMs === undefined) return;
      kept.delete(client);
      kept.set(client, { key: backendKey(backend), untilMs: clock.nowMs() + affinityMs });
      const [oldest] = kept.keys();
      if (kept.size > clientsMax && oldest !== undefined) kept.delete(oldest);
    },
    update(next, affinitySeconds) {
      backends = new Map(next.map((backend) => [backendKey(backend), backend]));
      affinityMs = affinitySeconds === undefined ? undefined : affinitySeconds * 1_000;
      if (affinityMs === undefined) kept.clear();
    },
  };
}

export function backendKey(backend: Backend): string {
  if ('address' in backend) return `${backend.address}:${backend.port}`;
  return 'api' in backend ? 'api' : `egress ${backend.egress.host}:${backend.egress.port}`;
}
