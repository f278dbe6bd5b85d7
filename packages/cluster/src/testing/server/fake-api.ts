import { configmaps, secrets } from '../../api/generated/kinds.ts';
import { type GroupVersionResource, isSameResource } from '../../api/gvk.ts';
import { groups, isAnonymous } from '../../api/identities.ts';
import type { KubeList, KubeObject } from '../../api/meta.ts';
import type {
  DeleteOperation,
  GetOperation,
  Operation,
  Outcome,
  WatchEvent,
  WatchOperation,
} from '../../api/operation.ts';
import type { TakeOver } from '../../api/passing.ts';
import { methodNotAllowed, notFound, StatusError } from '../../api/status.ts';
import { freeze } from '../../base/freeze.ts';
import { authorize, type Judging } from '../../server/access/authorize.ts';
import type { Authorizer } from '../../server/context/authorizer.ts';
import type {
  Authorized,
  DocumentRequest,
  HealthCheck,
  ServedApi,
  Table,
  TableOptions,
} from '../../server/context/served-api.ts';

/** An API server for tests of the wire: config maps and namespaces in memory, and every call written down. */
export interface FakeApi extends ServedApi, Authorized {
  readonly operations: Operation[];
  readonly watches: WatchOperation[];
  readonly checksNow: HealthCheck[];
  /** Replaces `perform` for the next call. */
  next: ((operation: Operation, signal: AbortSignal) => Promise<Outcome>) | undefined;
  put(object: KubeObject): void;
  /** Sends an event to every watch that is open. */
  emit(event: WatchEvent): void;
  readonly openWatches: number;
}

const kinds: Readonly<Record<string, string>> = { configmaps: 'ConfigMap', namespaces: 'Namespace' };

/** Whoever is known may do everything but take a backup. */
const strangersSeeHealth: Authorizer = {
  name: 'strangers-see-health',
  authorize(access) {
    const isMaster = access.user.groups.includes(groups.masters);
    const path = 'path' in access ? access.path : '';
    const allowed = isAnonymous(access.user)
      ? /^\/(version|healthz|livez|readyz)/.test(path)
      : isMaster || path !== '/signalbox/backup';
    return { allowed, reason: '' };
  },
  rulesFor: () => ({ incomplete: true, resourceRules: [], nonResourceRules: [] }),
};

export function createFakeApi(): FakeApi {
  const shelf: Shelf = { objects: new Map(), version: 1 };
  const open = new Set<Queue>();
  const fake: FakeApi = {
    operations: [],
    watches: [],
    checksNow: [{ name: 'ping' }, { name: 'etcd' }],
    next: undefined,
    get openWatches() {
      return open.size;
    },
    put(object) {
      const { namespace, name } = object.metadata;
      shelf.objects.set(idOf(`${object.kind.toLowerCase()}s`, namespace, name), freeze(object));
    },
    emit(event) {
      for (const queue of open) queue.push(event);
    },
    authorize(access, annotate) {
      authorize({ authorizer: strangersSeeHealth } as Judging, access, annotate);
      return fake;
    },
    facts: (_, subresource) => {
      const [isText, isConnection] = [subresource === 'log', subresource === 'exec'];
      return { custom: false, hasTables: true, isText, isConnection };
    },
    async perform(operation, { signal }) {
      fake.operations.push(operation);
      const { next } = fake;
      fake.next = undefined;
      await Promise.resolve();
      return next === undefined ? performOn(shelf, operation, fake.emit) : next(operation, signal);
    },
    async *watch(operation, { signal }) {
      fake.watches.push(operation);
      if (isSameResource(operation.resource, secrets)) throw new StatusError(notFound(operation.resource, ''));
      const queue = createQueue(signal);
      open.add(queue);
      try {
        yield* queue.events();
      } finally {
        open.delete(queue);
      }
    },
    text: ({ subresource }) => (subresource === 'log' ? Promise.resolve(twoLines()) : undefined),
    connect: ({ subresource }, { upgrades }) =>
      subresource === 'exec' && upgrades ? Promise.resolve({ is: 'taken', take: echo }) : undefined,
    document: fakeDocuments(),
    table: (resource, object, options) =>
      isSameResource(resource, configmaps) ? tableOf(shelf, object, options) : undefined,
    checks: () => fake.checksNow,
  };
  return fake;
}

/** Speaks a protocol of its own: says back what it hears. */
const echo: TakeOver = ({ request, socket, head, signal }) => {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\n\r\n`,
  );
  socket.write(head);
  socket.pipe(socket);
  signal.addEventListener('abort', () => socket.end(), { once: true });
};

interface Shelf {
  readonly objects: Map<string, KubeObject>;
  version: number;
}

function idOf(resource: string, namespace: string | undefined, name: string): string {
  return `${resource}/${namespace ?? ''}/${name}`;
}

function performOn(shelf: Shelf, operation: Operation, emit: (event: WatchEvent) => void): Outcome {
  const { resource, namespace } = operation;
  switch (operation.verb) {
    case 'get':
      return { code: 200, object: found(shelf, operation), warnings: [] };
    case 'list':
      return { code: 200, object: listOf(shelf, { resource, namespace }), warnings: [] };
    case 'create': {
      const object = made(shelf, operation.body as KubeObject, namespace);
      shelf.objects.set(idOf(resource.resource, namespace, object.metadata.name), object);
      emit({ type: 'ADDED', object });
      return { code: 201, object, warnings: ['be careful'] };
    }
    case 'delete': {
      const object = found(shelf, operation);
      shelf.objects.delete(idOf(resource.resource, namespace, operation.name));
      emit({ type: 'DELETED', object });
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 } as const;
      return { code: 200, object: status, warnings: [] };
    }
    default:
      throw new StatusError(methodNotAllowed(resource, operation.verb));
  }
}

function found(shelf: Shelf, { resource, namespace, name }: GetOperation | DeleteOperation): KubeObject {
  const object = shelf.objects.get(idOf(resource.resource, namespace, name));
  if (object === undefined) throw new StatusError(notFound(resource, name));
  return object;
}

function made(shelf: Shelf, body: KubeObject, namespace: string | undefined): KubeObject {
  shelf.version++;
  return freeze({
    ...body,
    metadata: {
      ...body.metadata,
      ...(namespace !== undefined && { namespace }),
      uid: `uid-${shelf.version}`,
      resourceVersion: String(shelf.version),
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  });
}

function listOf(
  shelf: Shelf,
  { resource, namespace }: { readonly resource: GroupVersionResource; readonly namespace: string | undefined },
): KubeList {
  const items = [...shelf.objects.entries()]
    .filter(([id]) => id.startsWith(`${resource.resource}/`))
    .map(([, object]) => object)
    .filter((object) => namespace === undefined || object.metadata.namespace === namespace);
  const kind = `${kinds[resource.resource] ?? 'Object'}List`;
  return freeze({ kind, apiVersion: 'v1', metadata: { resourceVersion: String(shelf.version) }, items });
}

function tableOf(shelf: Shelf, object: KubeObject | KubeList, { version, includeObject }: TableOptions): Table {
  const items = 'items' in object ? (object as KubeList).items : [object as KubeObject];
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: { resourceVersion: String(shelf.version) },
    columnDefinitions: [
      { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
      { name: 'Keys', type: 'integer', format: '', description: '', priority: 0 },
    ],
    rows: items.map((item) => ({
      cells: [item.metadata.name, 0],
      ...(includeObject !== 'None' && { object: partialOf(item) }),
    })),
  };
}

async function* twoLines(): AsyncGenerator<string> {
  yield 'first line\n';
  yield await Promise.resolve('second line\n');
}

export function fakeConfigMap(name: string, data: Readonly<Record<string, string>> = {}): KubeObject & object {
  return freeze({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    data,
  });
}

function partialOf({ metadata }: KubeObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

interface Queue {
  push(event: WatchEvent): void;
  events(): AsyncGenerator<WatchEvent>;
}

function createQueue(signal: AbortSignal): Queue {
  const waiting: WatchEvent[] = [];
  let wake: () => void = () => {};
  signal.addEventListener('abort', () => wake());
  return {
    push(event) {
      waiting.push(event);
      wake();
    },
    async *events() {
      while (!signal.aborted) {
        const event = waiting.shift();
        if (event !== undefined) yield event;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

function fakeDocuments(): (request: DocumentRequest) => object | undefined {
  const verbs = ['create', 'delete', 'get', 'list', 'watch'];
  const resources = [
    { name: 'configmaps', singularName: 'configmap', namespaced: true, kind: 'ConfigMap', verbs, shortNames: ['cm'] },
    { name: 'namespaces', singularName: 'namespace', namespaced: false, kind: 'Namespace', verbs, shortNames: ['ns'] },
  ];
  const gvk = { group: '', version: 'v1', kind: 'ConfigMap' };
  const core = freeze({
    version: { major: '1', minor: '34', gitVersion: 'v1.34.0', platform: 'linux/amd64' },
    paths: { paths: ['/api', '/version'] },
    coreVersions: { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] },
    groups: { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    resources: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'v1', resources },
    openapi2: {
      swagger: '2.0',
      info: { title: 'Kubernetes', version: 'v1.34.0' },
      paths: {
        '/api/v1/namespaces/{namespace}/configmaps': {
          post: {
            parameters: [{ name: 'dryRun', in: 'query', type: 'string', uniqueItems: true }],
            responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/io.k8s.api.core.v1.ConfigMap' } } },
            'x-kubernetes-group-version-kind': gvk,
          },
        },
      },
      definitions: {
        'io.k8s.api.core.v1.ConfigMap': {
          description: 'Holds settings.',
          type: 'object',
          properties: {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: { $ref: '#/definitions/Meta' },
            data: { type: 'object', additionalProperties: { type: 'string' }, description: 'The settings by key.' },
            immutable: { type: 'boolean' },
          },
          'x-kubernetes-group-version-kind': [gvk],
        },
        Meta: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            namespace: { type: 'string' },
            labels: { type: 'object', additionalProperties: { type: 'string' } },
            finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
          },
        },
      },
    },
    openapi3Index: { paths: {} },
  });
  const aggregated = new Map<string, object>();
  return (request) => {
    if (request.what === 'resources')
      return request.group === '' && request.version === 'v1' ? core.resources : undefined;
    if (request.what === 'aggregated') {
      const id = `${request.root}/${request.version}`;
      const known = aggregated.get(id) ?? aggregatedList(request, resources);
      aggregated.set(id, known);
      return known;
    }
    return request.what === 'group' || request.what === 'openapi3' ? undefined : core[request.what];
  };
}

function aggregatedList(
  { root, version }: Extract<DocumentRequest, { readonly what: 'aggregated' }>,
  resources: readonly {
    readonly name: string;
    readonly singularName: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs: readonly string[];
    readonly shortNames: readonly string[];
  }[],
): object {
  const shown = resources.map(({ name, singularName, namespaced, kind, ...rest }) => ({
    resource: name,
    singularResource: singularName,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    responseKind: { group: '', version: 'v1', kind },
    ...rest,
  }));
  const item = { metadata: { name: '' }, versions: [{ version: 'v1', freshness: 'Current', resources: shown }] };
  return freeze({
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: root === 'api' ? [item] : [],
  });
}
