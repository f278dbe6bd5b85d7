import type { Event } from '../../api/generated/core-v1.ts';
import { events } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { failure, StatusError } from '../../api/status.ts';
import type { AdmissionPlugin, AdmissionWorld } from '../context/admission.ts';
import { eventRateLimitName } from './plugin-choice.ts';

export const limitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;

/** How many events may be written of a kind that counts together. */
export interface EventLimit {
  readonly type: (typeof limitTypes)[number];
  /** How many come back each second. */
  readonly qps: number;
  /** How many may be written at once. */
  readonly burst: number;
  /** Of how many namespaces, users or sources it is remembered; of more, whoever was quiet longest begins anew. The default is 4,096. */
  readonly cacheSize?: number;
}

const cacheSizeDefault = 4_096;

/** Refuses events beyond the limits, by the clock of the cluster. Each limit counts what another one refuses. */
export function createEventRateLimit(limits: readonly EventLimit[]): AdmissionPlugin {
  const buckets = limits.map(createBuckets);
  const check = (object: KubeObject, world: AdmissionWorld): void => {
    // They write nothing.
    if (world.dryRun) return;
    const refused = [...new Set(buckets.flatMap((each) => each.take(object as Event, world) ?? []))];
    const [first, more] = refused;
    if (first === undefined) return;
    const message = more === undefined ? first : `[${refused.join(', ')}]`;
    throw new StatusError(failure(429, 'TooManyRequests', `Too many requests: ${message}`));
  };
  return {
    name: eventRateLimitName,
    resources: [events],
    checkCreate: check,
    checkUpdate: (next, _, world) => check(next, world),
  };
}

interface Bucket {
  readonly rest: number;
  readonly atMs: number;
}

interface Buckets {
  /** Says what is full, or takes one. */
  take(event: Event, world: AdmissionWorld): string | undefined;
}

function createBuckets({ type, qps, burst, cacheSize = cacheSizeDefault }: EventLimit): Buckets {
  const known = new Map<string, Bucket>();
  return {
    take(event, world) {
      const { nowMs } = world;
      const key = keyOf(type, event, world);
      const before = known.get(key) ?? { rest: burst, atMs: nowMs };
      // A clock that was put back gives nothing.
      const gainedMs = Math.max(0, nowMs - before.atMs);
      const rest = Math.min(burst, before.rest + (gainedMs * qps) / 1_000);
      const isFull = rest < 1;
      // The one that was used last stands at the end.
      known.delete(key);
      known.set(key, { rest: isFull ? rest : rest - 1, atMs: nowMs });
      const [eldest] = known.keys();
      if (known.size > (cacheSize || cacheSizeDefault) && eldest !== undefined) known.delete(eldest);
      return isFull ? `limit reached on type ${type} for key ${key}` : undefined;
    },
  };
}

function keyOf(type: EventLimit['type'], event: Event, { user }: AdmissionWorld): string {
  switch (type) {
    case 'Server':
      return '';
    case 'Namespace':
      return event.metadata.namespace ?? '';
    case 'User':
      return user.name;
    case 'SourceAndObject': {
      const { source = {}, involvedObject } = event;
      const { kind, namespace, name, uid, apiVersion } = involvedObject;
      return [source.component, source.host, kind, namespace, name, uid, apiVersion].join('');
    }
    default:
      return type satisfies never;
  }
}
