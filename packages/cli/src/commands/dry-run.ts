import type { Informers, KubeObject, Operation, Outcome, Platform, ResourceType, Transport } from '@signalbox/cluster';
import { changedFields } from '@signalbox/telemetry';

/**
 * A platform on which everything is read, and nothing is written: what would be is told instead, and again only when it
 * has become something else. Nobody waits for writes to show that never come.
 */
export function tellingPlatform(platform: Platform, tell: (line: string) => void): Platform {
  const { informers, transport } = platform;
  return { ...platform, transport: tellingTransport({ informers, transport }, tell), informers: unwaiting(informers) };
}

function unwaiting(informers: Informers): Informers {
  return { ...informers, reach: async () => {}, until: async () => {} };
}

type Write = Exclude<Operation, { readonly verb: 'get' | 'list' }>;

function tellingTransport(
  { informers, transport }: Pick<Platform, 'informers' | 'transport'>,
  tell: (line: string) => void,
): Transport {
  const told = new Map<string, string>();
  return {
    async perform(operation, waiting) {
      if (operation.verb === 'get' || operation.verb === 'list') return transport.perform(operation, waiting);
      const live = cachedIn(informers, operation);
      const line = lineOf(operation, live);
      const place = `${operation.resource.resource} ${nameOf(operation)} ${doorOf(operation)}`;
      if (line !== undefined && told.get(place) !== line) {
        told.set(place, line);
        tell(line);
      }
      return answerTo(operation, live);
    },
    watch: (operation, waiting) => transport.watch(operation, waiting),
  };
}

function cachedIn(informers: Informers, operation: Write): KubeObject | undefined {
  // In process the resource is the whole type.
  const type = operation.resource as ResourceType;
  return informers.has(type) ? informers.of(type).get(nameOf(operation)) : undefined;
}

/** What would have been done; undefined: not worth a word. */
function lineOf(operation: Write, live: KubeObject | undefined): string | undefined {
  const { kind = operation.resource.resource } = operation.resource as Partial<ResourceType>;
  const what = `${kind} ${nameOf(operation)}`;
  if (kind === 'Event') return warningOf(operation);
  switch (operation.verb) {
    case 'create':
      return `would create ${what}`;
    case 'update': {
      if (doorOf(operation) !== '') return `would write the ${doorOf(operation)} of ${what}`;
      const fields = live === undefined ? [] : changedFields(live, operation.body as KubeObject);
      return `would change ${what}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`;
    }
    case 'patch':
      return `would change ${what}: ${pathsIn(operation.body).join(', ')}`;
    case 'delete':
      return `would delete ${what}`;
    case 'deletecollection':
      return `would delete every ${kind}`;
    default:
      return operation satisfies never;
  }
}

/** That something was done is no news where nothing is; that something is wrong is. */
function warningOf(operation: Write): string | undefined {
  if (operation.verb !== 'create') return undefined;
  // Events of the old group and of the new one call the same by other names.
  const { type, reason = '', note, message, regarding, involvedObject } = operation.body as Told;
  if (type !== 'Warning') return undefined;
  const { kind = '', namespace = '', name = '' } = regarding ?? involvedObject ?? {};
  return `would warn of ${kind} ${namespace}/${name}: ${reason}: ${note ?? message ?? ''}`;
}

interface Told {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly message?: string;
  readonly regarding?: ToldOf;
  readonly involvedObject?: ToldOf;
}

interface ToldOf {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

function doorOf(operation: Write): string {
  return 'subresource' in operation ? (operation.subresource ?? '') : '';
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

/** `metadata.annotations[a]` for every leaf of a merge patch. */
function pathsIn(patch: unknown, path = ''): readonly string[] {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return [path];
  return Object.entries(patch)
    .filter(([key]) => !(path === 'metadata' && key === 'uid'))
    .flatMap(([key, value]) => pathsIn(value, path === '' ? key : `${path}.${key}`));
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
