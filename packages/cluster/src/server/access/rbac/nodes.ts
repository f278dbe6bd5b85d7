/**
 * What an agent of one node may do (its user is `system:node:<name>` in `system:nodes`): what every node needs, and of what
 * belongs to somebody only what pods on its node name. What it writes is looked at once more when that is known
 * (`node-restriction.ts`). The refusals are upstream's.
 */
import { nodeNameOf } from '../../../api/identities.ts';
import { nodeRules } from '../../../resources/rbac/builtin/nodes.ts';
import type { Access, AccessVerdict, AuthorizerWorld, ResourceAccess } from '../../context/authorizer.ts';
import { concernsNode, type Related } from './related.ts';
import { rulesAllow } from './rule.ts';

/** Undefined for whoever is no node's agent. */
export function nodeVerdict(access: Access, world: AuthorizerWorld): AccessVerdict | undefined {
  const node = nodeNameOf(access.user);
  if (node === undefined) return undefined;
  const decide = 'path' in access ? undefined : deciders[`${plural(access)}.${access.group}`];
  if (decide !== undefined && !('path' in access)) return decide({ ...access, node }, world);
  return rulesAllow(nodeRules, access) ? allowed : { allowed: false };
}

interface NodeAccess extends ResourceAccess {
  readonly node: string;
}

type Decide = (access: NodeAccess, world: AuthorizerWorld) => AccessVerdict;

const allowed: AccessVerdict = { allowed: true, reason: '' };

function no(reason?: string): AccessVerdict {
  return { allowed: false, ...(reason !== undefined && { reason }) };
}

const deciders: Readonly<Record<string, Decide>> = {
  'secrets.': (access, world) => readOne(access, world, 'secrets'),
  'configmaps.': (access, world) => readOne(access, world, 'configmaps'),
  'persistentvolumeclaims.': claims,
  'persistentvolumes.': (access, world) => getOne(access, world, 'persistentvolumes'),
  'volumeattachments.storage.k8s.io': (access, world) => getOne(access, world, 'volumeattachments'),
  'resourceclaims.resource.k8s.io': (access, world) => getOne(access, world, 'resourceclaims'),
  'resourceslices.resource.k8s.io': slices,
  'serviceaccounts.': accounts,
  'leases.coordination.k8s.io': leases,
  'csinodes.storage.k8s.io': csiNodes,
  'nodes.': nodes,
  'pods.': pods,
};

function readOne(access: NodeAccess, world: AuthorizerWorld, what: Related): AccessVerdict {
  if (!['get', 'list', 'watch'].includes(access.verb)) return no('can only read resources of this type');
  if (part(access) !== '') return no('cannot read subresource');
  if (access.namespace === undefined) return no('can only read namespaced object of this type');
  return related(access, world, what);
}

function getOne(access: NodeAccess, world: AuthorizerWorld, what: Related): AccessVerdict {
  if (access.verb !== 'get') return no('can only get individual resources of this type');
  if (part(access) !== '') return no('cannot get subresource');
  return related(access, world, what);
}

function related({ node, namespace, name }: NodeAccess, world: AuthorizerWorld, what: Related): AccessVerdict {
  if (name === undefined || name === '') return no('No Object name found');
  if (concernsNode(world, { node, what, namespace, name })) return allowed;
  return no(`no relationship found between node '${node}' and this object`);
}

function claims(access: NodeAccess, world: AuthorizerWorld): AccessVerdict {
  if (part(access) !== 'status') return getOne(access, world, 'persistentvolumeclaims');
  if (access.verb !== 'update' && access.verb !== 'patch') return no('can only get/update/patch this type');
  return related(access, world, 'persistentvolumeclaims');
}

/** Whoever fetches images for a pod may look at whose it is. */
function accounts(access: NodeAccess, world: AuthorizerWorld): AccessVerdict {
  if (access.verb === 'get' && part(access) === '') return readOne(access, world, 'serviceaccounts');
  if (access.verb !== 'create' || access.name === undefined)
    return no('can only create tokens for individual service accounts');
  if (part(access) !== 'token') return no('can only create token subresource of serviceaccount');
  return related(access, world, 'serviceaccounts');
}

const ownVerbs = ['get', 'create', 'update', 'patch', 'delete'];
const leaseNamespace = 'kube-node-lease';

function leases({ verb, namespace, name, node }: NodeAccess): AccessVerdict {
  if (!ownVerbs.includes(verb)) return no('can only get, create, update, patch, or delete a node lease');
  if (namespace !== leaseNamespace) return no(`can only access leases in the "${leaseNamespace}" system namespace`);
  // Nobody knows the name of what is to be created.
  if (verb !== 'create' && name !== node)
    return no('can only access node lease with the same name as the requesting node');
  return allowed;
}

function csiNodes(access: NodeAccess): AccessVerdict {
  const { verb, name, node } = access;
  if (!ownVerbs.includes(verb)) return no('can only get, create, update, patch, or delete a CSINode');
  if (part(access) !== '') return no('cannot authorize CSINode subresources');
  if (verb !== 'create' && name !== node)
    return no('can only access CSINode with the same name as the requesting node');
  return allowed;
}

/** Whose devices a new one lists, and those that are deleted together, is looked at when it is known. */
function slices(access: NodeAccess, world: AuthorizerWorld): AccessVerdict {
  const { verb, node, fields = [] } = access;
  if (part(access) !== '') return no('cannot authorize ResourceSlice subresources');
  switch (verb) {
    case 'create':
      return allowed;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return related(access, world, 'resourceslices');
    case 'list':
    case 'watch':
    case 'deletecollection':
      return isOfNode(fields, { path: 'spec.nodeName', node })
        ? allowed
        : no('can only list/watch/deletecollection resourceslices with nodeName field selector');
    default:
      return no(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
  }
}

function isOfNode(
  fields: NonNullable<NodeAccess['fields']>,
  { path, node }: { readonly path: string; readonly node: string },
): boolean {
  return fields.some((each) => each.path === path && each.operator === '=' && each.value === node);
}

function nodes(access: NodeAccess): AccessVerdict {
  const { verb, name = '', node } = access;
  switch (`${part(access)} ${verb}`) {
    case ' create':
    case ' update':
    case ' patch':
    case 'status update':
    case 'status patch':
      return allowed;
    case ' get':
    case ' list':
    case ' watch':
      if (name === node) return allowed;
      return no(
        name === ''
          ? `node '${node}' cannot read all nodes, only its own Node object`
          : `node '${node}' cannot read '${name}', only its own Node object`,
      );
    default:
      return no();
  }
}

function pods(access: NodeAccess, world: AuthorizerWorld): AccessVerdict {
  const { verb, name, node, fields = [] } = access;
  switch (`${part(access)} ${verb}`) {
    case ' get':
      return getOne(access, world, 'pods');
    case ' list':
    case ' watch':
      if (isOfNode(fields, { path: 'spec.nodeName', node })) return allowed;
      if (name !== undefined) return related(access, world, 'pods');
      return no('can only list/watch pods with spec.nodeName field selector');
    case ' create':
    case ' delete':
    case 'status update':
    case 'status patch':
    case 'eviction create':
      return allowed;
    default:
      return no();
  }
}

function plural({ resource }: ResourceAccess): string {
  return resource.split('/', 1)[0] ?? '';
}

/** The subresource; empty for none. */
function part({ resource }: ResourceAccess): string {
  const slash = resource.indexOf('/');
  return slash < 0 ? '' : resource.slice(slash + 1);
}
