/**
 * What an agent of one node may write, once it is known what it writes: its own Node and Lease, the status and the end of
 * pods that are bound to it, mirrors of pods that it runs on its own. Whom it may ask at all is decided before
 * (`nodes.ts`). The refusals are upstream's.
 */
import type { CertificateSigningRequest } from '../../../api/generated/certificates-v1.ts';
import type { Node, Pod } from '../../../api/generated/core-v1.ts';
import {
  certificatesigningrequests,
  csinodes,
  leases,
  nodes,
  persistentvolumeclaims,
  pods,
  resourceslices,
} from '../../../api/generated/kinds.ts';
import type { ResourceSlice } from '../../../api/generated/resource-v1.ts';
import { isOfKind, isSameResource } from '../../../api/gvk.ts';
import { nodeNameOf } from '../../../api/identities.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { forbidden, StatusError } from '../../../api/status.ts';
import { equal } from '../../../base/equal.ts';
import { parseCertificateRequest } from '../../../resources/certificates/request.ts';
import { isMirrorPod, mirrorAnnotation, podReferences } from '../../../resources/core/pod/references.ts';
import type { AuthorizerWorld } from '../../context/authorizer.ts';
import { objectKey, resourcePrefix } from '../../context/keys.ts';
import type { ObjectWrite } from '../../context/write-request.ts';

/** Throws a 403 for what is not the node's to write. Costs everybody else a look at their name. */
export function restrictNode(world: AuthorizerWorld, write: ObjectWrite): void {
  const { request, after } = write;
  const node = nodeNameOf(request.user);
  if (node === undefined) return;
  const { definition } = request.served;
  const restriction = restrictions.find(({ type }) => isSameResource(type, definition));
  const why = restriction?.refuses({ ...write, node }, world);
  if (why !== undefined) throw new StatusError(forbidden(definition, after.metadata.name, why));
}

interface NodeWrite extends ObjectWrite {
  readonly node: string;
}

interface Restriction {
  readonly type: { readonly group: string; readonly resource: string };
  /** Why it is refused, if it is. */
  refuses(write: NodeWrite, world: AuthorizerWorld): string | undefined;
}

const restrictions: readonly Restriction[] = [
  { type: pods, refuses: podWrite },
  { type: nodes, refuses: nodeWrite },
  {
    type: leases,
    refuses: ({ after, node }) =>
      after.metadata.name === node ? undefined : 'can only access node lease with the same name as the requesting node',
  },
  {
    type: csinodes,
    refuses: ({ after, node }) =>
      after.metadata.name === node ? undefined : 'can only access CSINode with the same name as the requesting node',
  },
  { type: persistentvolumeclaims, refuses: claimWrite },
  { type: resourceslices, refuses: sliceWrite },
  { type: certificatesigningrequests, refuses: certificateWish },
];

const signersOfNodes: ReadonlySet<string> = new Set([
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
]);

/** Certificates of nodes are asked for by the very node. What else is wrong with a request has been found before. */
function certificateWish({ before, after, node }: NodeWrite): string | undefined {
  const { signerName, request } = (after as CertificateSigningRequest).spec;
  if (before !== undefined || !signersOfNodes.has(signerName)) return undefined;
  return parseCertificateRequest(request).commonName === `system:node:${node}`
    ? undefined
    : `can only create a node CSR with CN=system:node:${node}`;
}

function podWrite(write: NodeWrite, world: AuthorizerWorld): string | undefined {
  const { request, before, node } = write;
  if (before === undefined) return podCreation(write.after as Pod, node, world);
  const { spec, metadata } = before.object as Pod;
  const isOwn = spec.nodeName === node;
  const what = `node ${JSON.stringify(node)}`;
  switch (request.subresource) {
    case 'eviction':
      return isOwn ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`;
    case 'status':
      if (!isOwn) return `${what} can only update pod status for pods with spec.nodeName set to itself`;
      return equal(metadata.labels ?? {}, write.after.metadata.labels ?? {})
        ? undefined
        : `${what} cannot update labels through pod status`;
    case undefined:
      if (request.verb !== 'delete')
        return `unexpected operation "UPDATE", ${what} can only create and delete mirror pods`;
      return isOwn ? undefined : `${what} can only delete pods with spec.nodeName set to itself`;
    default:
      return `unexpected pod subresource "${request.subresource}", only 'status' and 'eviction' are allowed`;
  }
}

function podCreation(pod: Pod, node: string, world: AuthorizerWorld): string | undefined {
  const what = `node ${JSON.stringify(node)}`;
  if (!isMirrorPod(pod))
    return `pod does not have "${mirrorAnnotation}" annotation, ${what} can only create mirror pods`;
  if (pod.spec.nodeName !== node) return `${what} can only create pods with spec.nodeName set to itself`;
  return mirrorOwner(pod, { what, node, world }) ?? mirrorReferences(pod, what);
}

interface Mirroring {
  readonly what: string;
  readonly node: string;
  readonly world: AuthorizerWorld;
}

function mirrorOwner({ metadata }: Pod, { what, node, world }: Mirroring): string | undefined {
  const { ownerReferences: [owner, ...others] = [] } = metadata;
  if (others.length > 0) return `${what} can only create pods with a single owner reference set to itself`;
  if (owner === undefined || !isOfKind(owner, nodes) || owner.name !== node)
    return `${what} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true) return `${what} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `${what} must not set blockOwnerDeletion on an owner reference`;
  const found = world.store.get(objectKey(resourcePrefix(nodes), undefined, node))?.value as KubeObject | undefined;
  if (found === undefined) return `nodes "${node}" not found`;
  return owner.uid === found.metadata.uid
    ? undefined
    : `node ${node} UID mismatch: expected ${owner.uid} got ${found.metadata.uid}`;
}

/** A node must not come by anything by saying that a pod of its own names it. */
function mirrorReferences(pod: Pod, what: string): string | undefined {
  const { metadata, spec } = pod;
  const { [mirrorAnnotation]: _mirror, ...annotations } = metadata.annotations ?? {};
  const named = podReferences({ ...pod, metadata: { ...metadata, annotations }, spec: { ...spec } });
  const does = `${what} can not create pods that reference`;
  if (named.secrets.size > 0) return `${does} secrets`;
  if (named.configmaps.size > 0) return `${does} configmaps`;
  return named.claims.size > 0 ? `${does} persistentvolumeclaims` : undefined;
}

function nodeWrite({ request, before, after, node }: NodeWrite): string | undefined {
  const { name } = after.metadata;
  const what = `node ${JSON.stringify(node)}`;
  if (name !== node) return `${what} is not allowed to modify node ${JSON.stringify(name)}`;
  if (request.verb === 'delete') return undefined;
  const current = before?.object as Node | undefined;
  if (current !== undefined && !equal(current.spec.taints ?? [], (after as Node).spec.taints ?? []))
    return `${what} is not allowed to modify taints`;
  // Who owns it decides when it goes.
  if (current !== undefined && !equal(current.metadata.ownerReferences ?? [], after.metadata.ownerReferences ?? []))
    return `${what} is not allowed to modify ownerReferences`;
  const labels = forbiddenLabels(after.metadata.labels ?? {}, current?.metadata.labels ?? {});
  if (labels.length === 0) return undefined;
  return current === undefined
    ? `${what} is not allowed to set the following labels: ${labels.join(', ')}`
    : `is not allowed to modify labels: ${labels.join(', ')}`;
}

type Labels = Readonly<Record<string, string>>;

/** By what labels say of itself a node would draw others' pods. */
function forbiddenLabels(next: Labels, current: Labels): readonly string[] {
  const changed = [...new Set([...Object.keys(next), ...Object.keys(current)])].filter(
    (label) => next[label] !== current[label],
  );
  return changed.filter(isForbidden).sort();
}

const agentLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);

function isForbidden(label: string): boolean {
  const slash = label.indexOf('/');
  if (slash < 0 || agentLabels.has(label)) return false;
  const domain = `.${label.slice(0, slash)}`;
  if (domain.endsWith('.kubelet.kubernetes.io') || domain.endsWith('.node.kubernetes.io')) return false;
  return domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io');
}

function sliceWrite({ request, before, after, node }: NodeWrite): string | undefined {
  const verb = before === undefined ? 'create' : isDelete(request.verb) ? 'delete' : undefined;
  const { nodeName } = ((before?.object ?? after) as ResourceSlice).spec;
  if (verb === undefined || nodeName === node) return undefined;
  return `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
}

function isDelete(verb: string): boolean {
  return verb === 'delete' || verb === 'deletecollection';
}

function claimWrite({ request, before, after, node }: NodeWrite): string | undefined {
  if (request.subresource !== 'status' || before === undefined) return 'may only update PVC status';
  return equal(withoutGrowth(before.object), withoutGrowth(after))
    ? undefined
    : `node ${JSON.stringify(node)} is not allowed to update fields other than status.capacity and status.conditions`;
}

/** Without what a node finds out of a volume, and whose that is. */
function withoutGrowth(claim: KubeObject): object {
  const { managedFields: _owners, ...metadata } = claim.metadata;
  const { status = {} } = claim as KubeObject & { readonly status?: Readonly<Record<string, unknown>> };
  const found = ['capacity', 'conditions', 'allocatedResources', 'allocatedResourceStatuses'];
  return {
    ...claim,
    metadata,
    status: Object.fromEntries(Object.entries(status).filter(([field]) => !found.includes(field))),
  };
}
