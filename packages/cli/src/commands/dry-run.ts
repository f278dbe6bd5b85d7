import type {
  Informers,
  KubeObject,
  Operation,
  Outcome,
  Platform,
  QueueFigures,
  ResourceType,
  RuntimeObserver,
  Transport,
} from '@signalbox/cluster';
import { observedByAll } from '@signalbox/cluster';
import { type Act, actOf, wouldDo } from '../format/acts.ts';

/** An operator that acts nowhere. */
export interface Rehearsal {
  /**
   * On it everything is read, and nothing is written: what would be is told instead, and again only when it has become something
   * else. Nobody waits for writes to show that never come.
   */
  readonly platform: Platform;
  /** What was told, summed up. */
  sum(): RehearsalSum;
  /** Resources of which the first list has not come: nothing is known of them. */
  unseen(): readonly string[];
  /** Nothing has been left to look at for so long. */
  hasRestedMs(nowMs: number): number;
}

/** Each object counts once, by what would be done last. */
export type RehearsalSum = Readonly<Record<Act['does'], number>>;

export function rehearse(platform: Platform, tell: (line: string) => void): Rehearsal {
  const { informers, transport, observer, clock } = platform;
  const told = new Map<string, Told>();
  const queues = new Set<QueueFigures>();
  let lastMs = Number.POSITIVE_INFINITY;
  const teller = tellingObserver({ informers, tell, told });
  const looker: RuntimeObserver = {
    ...teller,
    works(_component, queue) {
      queues.add(queue);
      lastMs = clock.nowMs();
      return () => queues.delete(queue);
    },
    ran: ({ endedMs }) => {
      lastMs = endedMs;
    },
  };
  return {
    platform: {
      ...platform,
      transport: unwritingTransport({ informers, transport }),
      informers: unwaiting(informers),
      observer: observer === undefined ? looker : observedByAll([looker, observer]),
    },
    sum() {
      const counts = { create: 0, change: 0, delete: 0, 'write the status of': 0, 'warn of': 0 };
      for (const { does } of told.values()) counts[does]++;
      return counts;
    },
    unseen: () => informers.unsynced(),
    hasRestedMs: (nowMs) => ([...queues].every(({ size }) => size === 0) ? Math.max(0, nowMs - lastMs) : 0),
  };
}

interface Told {
  readonly line: string;
  readonly does: Act['does'];
}

interface Telling {
  readonly informers: Informers;
  readonly tell: (line: string) => void;
  readonly told: Map<string, Told>;
}

function tellingObserver({ informers, tell, told }: Telling): RuntimeObserver {
  return {
    works: () => () => undefined,
    ran: () => undefined,
    acts(_run, action) {
      const act = actOf(action, informers);
      if (act !== undefined) {
        const line = wouldDo(act);
        const { kind, namespace = '', name } = act.object;
        const isWarning = act.does === 'warn of';
        // Of one object several things may be wrong.
        const place = isWarning ? line : `${kind} ${namespace}/${name} ${act.does === 'write the status of'}`;
        if (told.get(place)?.line !== line) {
          told.set(place, { line, does: act.does });
          tell(line);
        }
      }
      return () => undefined;
    },
  };
}

function unwaiting(informers: Informers): Informers {
  return { ...informers, reach: async () => {}, until: async () => {} };
}

function unwritingTransport({ informers, transport }: Pick<Platform, 'informers' | 'transport'>): Transport {
  return {
    async perform(operation, waiting) {
      if (operation.verb === 'get' || operation.verb === 'list') return transport.perform(operation, waiting);
      return answerTo(operation, cachedIn(informers, operation));
    },
    watch: (operation, waiting) => transport.watch(operation, waiting),
  };
}

type Write = Exclude<Operation, { readonly verb: 'get' | 'list' }>;

function cachedIn(informers: Informers, operation: Write): KubeObject | undefined {
  // In process the resource is the whole type.
  const type = operation.resource as ResourceType;
  return informers.has(type) ? informers.of(type).get(nameOf(operation)) : undefined;
}

function nameOf(operation: Write): string {
  const { namespace } = operation;
  const own = 'name' in operation ? operation.name : undefined;
  const { metadata } = ('body' in operation ? operation.body : {}) as {
    readonly metadata?: { readonly name?: string };
  };
  const name = own ?? metadata?.name ?? '';
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** As if it had been done. */
function answerTo(operation: Write, live: KubeObject | undefined): Outcome {
  const body = 'body' in operation && operation.verb !== 'patch' ? (operation.body as KubeObject) : live;
  const [namespace, name] = nameOf(operation).includes('/') ? nameOf(operation).split('/') : ['', nameOf(operation)];
  const identity = {
    namespace: namespace ?? '',
    name: name ?? '',
    uid: '',
    resourceVersion: '0',
    creationTimestamp: '',
  };
  const object = { ...body, metadata: { ...identity, ...body?.metadata } } as KubeObject;
  return { code: operation.verb === 'create' ? 201 : 200, object, warnings: [] };
}
