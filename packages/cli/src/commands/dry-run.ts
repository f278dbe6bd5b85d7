import type {
  Informers,
  KubeObject,
  Operation,
  Outcome,
  Platform,
  ResourceType,
  RuntimeObserver,
  Transport,
} from '@signalbox/cluster';
import { observedByAll } from '@signalbox/cluster';
import { actOf, wouldDo } from '../format/acts.ts';

/**
 * A platform on which everything is read, and nothing is written: what would be is told instead, and again only when it
 * has become something else. Nobody waits for writes to show that never come.
 */
export function tellingPlatform(platform: Platform, tell: (line: string) => void): Platform {
  const { informers, transport, observer } = platform;
  const teller = tellingObserver(informers, tell);
  return {
    ...platform,
    transport: unwritingTransport({ informers, transport }),
    informers: unwaiting(informers),
    observer: observer === undefined ? teller : observedByAll([teller, observer]),
  };
}

function tellingObserver(informers: Informers, tell: (line: string) => void): RuntimeObserver {
  const told = new Map<string, string>();
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
        if (told.get(place) !== line) {
          told.set(place, line);
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
