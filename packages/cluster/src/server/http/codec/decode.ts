import type { GroupVersionResource } from '../../../api/gvk.ts';
import type {
  CreateOperation,
  DeleteCollectionOperation,
  DeleteOperation,
  GetOperation,
  ListOperation,
  Operation,
  PatchOperation,
  UpdateOperation,
  User,
  WatchOperation,
} from '../../../api/operation.ts';
import { badRequest, noSuchMethod, StatusError } from '../../../api/status.ts';
import { fresh } from '../../../base/fresh.ts';
import type { DocumentRequest, ResourceFacts, ServedApi } from '../../context/served-api.ts';
import { type MediaRange, negotiateDiscovery, nothingTaken, takesAny } from './accept.ts';
import { type Sender, senderOf } from './agent.ts';
import { type Body, objectFormat, parseApplied, parseBody, patchFormat } from './body.ts';
import { type Path, parsePath, type ResourcePath } from './path.ts';
import {
  deleteOptions,
  isWatch,
  limitOf,
  listOptions,
  patchOptions,
  type Query,
  type ShowOptions,
  showOptions,
  watchOptions,
  writeOptions,
} from './query.ts';
import { type Target, unknownPath } from './target.ts';

/** A request without its body. Header names are in lower case. */
export interface RequestHead {
  readonly method: string;
  /** The request target as it came: `/api/v1/pods?limit=5`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** What a request asks for. Whoever may ask for it is decided before the operation is made. */
export type Decoded =
  | { readonly asks: 'document'; readonly document: DocumentRequest }
  | (ResourceRequest & { readonly show: ShowOptions });

export type ResourceRequest = ResourceCall & {
  readonly resource: GroupVersionResource;
  readonly subresource: string | undefined;
  /** What stands behind the subresource, as it came. */
  readonly below: string;
  /** How long the client wants to wait at most. */
  readonly timeoutMs?: number;
};

type ResourceCall =
  | { readonly asks: 'read'; operation(user: User): GetOperation | ListOperation }
  | { readonly asks: 'watch'; operation(user: User): WatchOperation }
  | WriteRequest;

export interface WriteRequest {
  readonly asks: 'write';
  /** Throws a `StatusError` when the body does not fit. */
  operation(user: User, bytes: Buffer): Operation;
}

export interface Reading {
  /** Of the head, parsed. */
  readonly target: Target;
  readonly accept: readonly MediaRange[];
  /** What the definition of a resource says of a subresource, where its path alone does not tell how it is read. */
  readonly facts: ServedApi['facts'];
}

/** The only subresource behind which something may stand. */
const proxy = 'proxy';

/** Throws a `StatusError` for everything that no server could understand: 400, 404, 405, 406, 415, 422. */
export function decode(head: RequestHead, { target, accept, facts }: Reading): Decoded {
  const path = parsePath(target.segments);
  const { query } = target;
  if (path.is === 'resource' && path.below !== undefined && path.subresource !== proxy)
    throw new StatusError(unknownPath());
  const door = path.is === 'resource' ? doorOf(path, facts) : ordinary;
  if (path.is === 'resource') checkWrittenBy(path, { head, accept, facts });
  const limit = isLongRunning(path, { query, door }) ? {} : limitOf(query);
  if (path.is === 'resource') {
    const { resource, subresource } = path;
    if (target.watches === true && head.method !== 'GET') throw wrongMethod();
    return {
      ...fresh,
      ...decodeResource(path, { head, query, door, isCustom: () => facts(resource, undefined)?.custom === true }),
      resource,
      subresource,
      below: subresource === undefined ? '' : belowOf(head.target, target.segments.length - (path.below?.length ?? 0)),
      show: showOptions(query),
      ...limit,
    };
  }
  if (head.method !== 'GET') throw wrongMethod();
  return decodeOther(path, accept);
}

/** Whoever takes nothing of what is written for built-in kinds is told before anything else of the request is read. */
function checkWrittenBy(
  { resource, name, subresource }: ResourcePath,
  { head, accept, facts }: Pick<Reading, 'accept' | 'facts'> & { readonly head: RequestHead },
): void {
  if (takesAny(accept)) return;
  const found = facts(resource, subresource);
  if (found === undefined || found.custom || found.isText || found.isConnection) return;
  throw nothingTaken({ isList: name === undefined && head.method === 'GET' });
}

/** The rest of the path behind so many segments, undecoded: whoever gets it decodes it. */
function belowOf(target: string, segments: number): string {
  const [path = ''] = target.split('?', 1);
  const rest = path.split('/').slice(segments + 1);
  return rest.length === 0 ? '' : `/${rest.join('/')}`;
}

/** What lasts as long as the client likes asks for an end in other ways. */
function isLongRunning(path: Path, { query, door }: Pick<Request, 'query' | 'door'>): boolean {
  return path.is === 'resource' && (isWatch(query) || door.isText || door.isConnection);
}

type Door = Pick<ResourceFacts, 'isText' | 'isConnection'>;
const ordinary: Door = { isText: false, isConnection: false };

/** Nobody is asked about whole objects and lists. */
function doorOf({ resource, subresource }: ResourcePath, facts: ServedApi['facts']): Door {
  return (subresource === undefined ? undefined : facts(resource, subresource)) ?? ordinary;
}

function decodeOther(path: Exclude<Path, ResourcePath>, accept: readonly MediaRange[]): Decoded {
  switch (path.is) {
    case 'root':
      return { asks: 'document', document: { what: 'paths' } };
    case 'version':
      return { asks: 'document', document: { what: 'version' } };
    case 'openapi2':
      return { asks: 'document', document: { what: 'openapi2' } };
    case 'openapi3':
      return {
        asks: 'document',
        document: path.path === undefined ? { what: 'openapi3Index' } : { what: 'openapi3', path: path.path },
      };
    case 'discovery':
      return { asks: 'document', document: discovery(path, accept) };
    default:
      return path satisfies never;
  }
}

function discovery(
  { root, group, version }: Extract<Path, { readonly is: 'discovery' }>,
  accept: readonly MediaRange[],
): DocumentRequest {
  if (version !== undefined) return { what: 'resources', group: group ?? '', version };
  if (group !== undefined) return { what: 'group', group };
  const form = negotiateDiscovery(accept);
  if (form !== 'legacy') return { what: 'aggregated', root, version: form };
  return root === 'api' ? { what: 'coreVersions' } : { what: 'groups' };
}

interface Request {
  readonly head: RequestHead;
  readonly query: Query;
  readonly door: Door;
  /** Whether it is about a custom resource. */
  isCustom(): boolean;
}

function decodeResource(path: ResourcePath, request: Request): ResourceCall {
  const { method } = request.head;
  if (path.name === undefined) {
    if (method === 'GET')
      return isWatch(request.query) ? decodeWatch(path, request.query) : decodeList(path, request.query);
    if (method === 'POST') return decodeCreate(path, request);
    if (method === 'DELETE') return decodeDeleteCollection(path, request);
  } else {
    const named = { ...fresh, ...path, name: path.name };
    if (method === 'GET' && path.subresource === undefined && isWatch(request.query))
      return decodeWatch(path, request.query);
    if (method === 'GET' || (request.door.isConnection && passes(method, path))) return decodeGet(named, request.query);
    if (method === 'PUT') return decodeUpdate(named, request);
    if (method === 'PATCH') return decodePatch(named, request);
    if (method === 'POST' && path.subresource !== undefined) return decodeCreate(path, request);
    if (method === 'DELETE' && path.subresource === undefined) return decodeDelete(named, request);
  }
  throw new StatusError(noSuchMethod());
}

/** A proxy takes whatever it gets; its client's words are not for this server. */
function passes(method: string, { subresource }: ResourcePath): boolean {
  return method === 'POST' || subresource === proxy;
}

type NamedPath = ResourcePath & { readonly name: string };

function target(
  { resource, namespace }: ResourcePath,
  sender: Sender,
): Pick<ListOperation, 'resource' | 'namespace' | 'user' | 'agent'> {
  return { resource, ...(namespace !== undefined && { namespace }), ...sender };
}

function namedTarget(
  path: NamedPath,
  sender: Sender,
): Pick<GetOperation, 'resource' | 'namespace' | 'user' | 'agent' | 'name' | 'subresource'> {
  const { name, subresource } = path;
  return { ...fresh, ...target(path, sender), name, ...(subresource !== undefined && { subresource }) };
}

const exported = 'the export parameter, deprecated since v1.14, is no longer supported';

function decodeGet(path: NamedPath, query: Query): ResourceCall {
  if (path.subresource === undefined && query.get('export') === 'true') throw new StatusError(badRequest(exported));
  const resourceVersion = query.get('resourceVersion') || undefined;
  const parameters: Record<string, string> = Object.create(null);
  for (const [key, value] of query) if (key !== 'resourceVersion') parameters[key] ??= value;
  const hasParameters = path.subresource !== undefined && Object.keys(parameters).length > 0;
  return {
    asks: 'read',
    operation: (user) => ({
      verb: 'get',
      ...namedTarget(path, { user }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(hasParameters && { parameters: { ...parameters } }),
    }),
  };
}

function decodeList(path: ResourcePath, query: Query): ResourceCall {
  const options = listOptions(query);
  return { asks: 'read', operation: (user) => ({ verb: 'list', ...target(path, { user }), options }) };
}

/** A watch of one name is a watch of the collection that a field selector narrows. */
function decodeWatch(path: ResourcePath, query: Query): ResourceCall {
  const given = watchOptions(query);
  const byName = path.name === undefined ? undefined : `metadata.name=${path.name}`;
  const fieldSelector = [byName, given.fieldSelector].filter((part) => part !== undefined).join(',');
  const options = { ...fresh, ...given, ...(fieldSelector !== '' && { fieldSelector }) };
  return { asks: 'watch', operation: (user) => ({ ...fresh, ...target(path, { user }), options }) };
}

function decodeCreate(path: ResourcePath, { head, query }: Request): WriteRequest {
  const options = writeOptions(query, 'CreateOptions');
  const format = objectFormat(head.headers['content-type']);
  const { name, subresource } = path;
  return {
    asks: 'write',
    operation: (user, bytes) => {
      const operation: CreateOperation = {
        verb: 'create',
        ...target(path, senderOf(head, user)),
        ...(name !== undefined && { name }),
        ...(subresource !== undefined && { subresource }),
        ...sent(parseBody(bytes, format)),
        wasText: true,
        options,
      };
      return operation;
    },
  };
}

function decodeUpdate(path: NamedPath, { head, query }: Request): WriteRequest {
  const options = writeOptions(query, 'UpdateOptions');
  const format = objectFormat(head.headers['content-type']);
  return {
    asks: 'write',
    operation: (user, bytes) => {
      const operation: UpdateOperation = {
        verb: 'update',
        ...namedTarget(path, senderOf(head, user)),
        ...sent(parseBody(bytes, format)),
        wasText: true,
        options,
      };
      return operation;
    },
  };
}

function decodePatch(path: NamedPath, { head, query, isCustom }: Request): WriteRequest {
  const options = patchOptions(query);
  const { patchType, format } = patchFormat(head.headers['content-type'], { isCustom });
  return {
    asks: 'write',
    operation: (user, bytes) => {
      const operation: PatchOperation = {
        verb: 'patch',
        ...namedTarget(path, senderOf(head, user)),
        patchType,
        ...sent(patchType === 'apply' ? parseApplied(bytes) : parseBody(bytes, format)),
        options,
      };
      return operation;
    },
  };
}

function decodeDelete(path: NamedPath, request: Request): WriteRequest {
  return {
    asks: 'write',
    operation: (user, bytes) => {
      const options = deleteOptions(request.query, deleteBody(request, bytes));
      const operation: DeleteOperation = {
        verb: 'delete',
        ...namedTarget(path, senderOf(request.head, user)),
        options,
      };
      return operation;
    },
  };
}

function decodeDeleteCollection(path: ResourcePath, request: Request): WriteRequest {
  const list = listOptions(request.query);
  return {
    asks: 'write',
    operation: (user, bytes) => {
      const options = deleteOptions(request.query, deleteBody(request, bytes));
      const operation: DeleteCollectionOperation = {
        verb: 'deletecollection',
        ...target(path, senderOf(request.head, user)),
        options,
        list,
      };
      return operation;
    },
  };
}

function deleteBody({ head }: Request, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  return parseBody(bytes, objectFormat(head.headers['content-type'])).value;
}

function sent({ value, flaws }: Body): Pick<CreateOperation, 'body' | 'flaws'> {
  return { body: value, ...(flaws.length > 0 && { flaws }) };
}

/** For a path that takes other methods. */
export function wrongMethod(): StatusError {
  return new StatusError(noSuchMethod());
}
