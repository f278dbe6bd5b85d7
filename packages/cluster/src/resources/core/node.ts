import type { Node, NodeStatus, Taint } from '../../api/generated/core-v1.ts';
import { nodes } from '../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { root } from '../../api/issue.ts';
import { ageColumn, column, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { requiredOneOf, resourceAmounts } from '../validation/fields.ts';
import { labelValue, qualifiedName } from '../validation/names.ts';
import { cidr } from '../validation/network.ts';

const rolePrefix = 'node-role.kubernetes.io/';

export const nodeDefinition: ResourceDefinition<Node> = defineResource(nodes, {
  schema: 'io.k8s.api.core.v1.Node',
  shortNames: ['no'],
  connections: ['proxy'],
  hasStatus: true,
  // The version stands behind the age.
  columnsComplete: true,
  columns: [
    nameColumn(),
    column('Status', statusText),
    column('Roles', rolesText),
    ageColumn(),
    column('Version', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
    column('Internal-IP', ({ status }) => addressOf(status, 'InternalIP'), { wide: true }),
    column('External-IP', ({ status }) => addressOf(status, 'ExternalIP'), { wide: true }),
    column('OS-Image', ({ status }) => status?.nodeInfo?.osImage || '<unknown>', { wide: true }),
    column('Kernel-Version', ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>', { wide: true }),
    column('Container-Runtime', ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>', {
      wide: true,
    }),
  ],
  selectableFields: [{ path: 'spec.unschedulable', of: ({ spec }) => String(spec?.unschedulable === true) }],
  defaults(node) {
    const spec = node.spec ?? {};
    const podCidr = spec.podCIDR ?? '';
    if (podCidr !== '' && spec.podCIDRs === undefined) return { ...node, spec: { ...spec, podCIDRs: [podCidr] } };
    return node.spec === undefined ? { ...node, spec } : node;
  },
  prepareForCreate(node) {
    const { status } = node;
    // What nobody takes away can be given out.
    if (status?.capacity === undefined || status.allocatable !== undefined) return node;
    return { ...node, status: { ...status, allocatable: status.capacity } };
  },
  *warnings({ spec }) {
    if ((spec?.externalID ?? '') !== '') yield 'spec.externalID: this field is deprecated, and is unused by Kubernetes';
  },
  *validate({ spec, status }, at) {
    // Upstream reports taints under the metadata, and clients know the path.
    if (spec.taints !== undefined) yield* taintIssues(spec.taints, root('metadata', 'taints'));
    yield* podCidrIssues(spec, at('spec'));
    yield* resourceAmounts(status?.capacity, at('status', 'capacity'));
    yield* resourceAmounts(status?.allocatable, at('status', 'allocatable'));
  },
  *validateUpdate(next, current, at) {
    for (const field of ['podCIDR', 'providerID'] as const) {
      const before = current.spec?.[field] ?? '';
      if (before !== '' && before !== (next.spec?.[field] ?? ''))
        yield field === 'podCIDR'
          ? at('spec', 'podCIDRs').forbidden('node updates may not change podCIDR except from "" to valid')
          : at('spec', field).forbidden('node updates may not change providerID except from "" to valid');
    }
  },
});

/** What runs the machine's containers; a Node without it is of the simulated fleet. */
export const driverAnnotation = 'signalbox.dev/driver';

export const taintEffects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Taints are unique by key and effect. */
export function* taintIssues(taints: readonly Taint[], at: FieldPath): Iterable<Issue> {
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const here = at(index);
    yield* qualifiedName(taint.key ?? '', here('key'));
    yield* labelValue(taint.value ?? '', here('value'));
    yield* requiredOneOf(taint.effect, taintEffects, here('effect'));
    const identity = `${taint.key}:${taint.effect}`;
    if (seen.has(identity)) {
      const issue = here.duplicate(taint);
      yield { ...issue, message: `${issue.message}: taints must be unique by key and effect pair` };
    }
    seen.add(identity);
  }
}

function* podCidrIssues({ podCIDR, podCIDRs }: Node['spec'], at: FieldPath): Iterable<Issue> {
  for (const [index, range] of (podCIDRs ?? []).entries()) yield* cidr(range, at('podCIDRs', index));
  if (podCIDR !== undefined && podCIDR !== '' && podCIDRs?.[0] !== podCIDR)
    yield at('podCIDRs', 0).invalid(podCIDRs ?? [], 'first value must match `podCIDR`');
  if (podCIDRs !== undefined && podCIDRs.length > 2)
    yield at('podCIDRs').invalid(podCIDRs, 'may specify no more than one CIDR for each IP family');
}

function statusText({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const text = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${text},SchedulingDisabled` : text;
}

function rolesText({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',');
}

function addressOf(status: NodeStatus | undefined, type: string): string {
  return status?.addresses?.find((address) => address.type === type)?.address ?? '<none>';
}
