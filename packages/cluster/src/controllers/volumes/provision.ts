import type {
  Node,
  NodeSelectorTerm,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
} from '../../api/generated/core-v1.ts';
import { persistentvolumes } from '../../api/generated/kinds.ts';
import type { StorageClass } from '../../api/generated/storage-v1.ts';
import { volumeFinalizer } from '../../resources/core/persistentvolume.ts';
import {
  allowsTopology,
  boundByControllerAnnotation,
  provisionedByAnnotation,
  provisionedName,
  referenceTo,
} from '../../resources/core/volume-binding.ts';
import { simulatedAnnotation } from '../../resources/storage/simulated.ts';
import type { Action } from '../../runtime/plan.ts';
import { simulatedProvisioner } from './storage-class.ts';

/** Where simulated volumes pretend to be on their nodes. */
const volumesFolder = '/var/lib/signalbox/volumes';

export interface Provisioned {
  readonly storageClass: StorageClass;
  /** Where the claim's first pod goes; undefined where the class does not wait for it. */
  readonly node: Node | undefined;
}

/** A volume made for the claim and bound to it from the start. */
export function provision(claim: PersistentVolumeClaim, { storageClass, node }: Provisioned): Action {
  const nodeSelectorTerms = reachOf({ storageClass, node });
  const name = provisionedName(claim);
  const { reclaimPolicy = 'Delete', mountOptions } = storageClass;
  const { source, marks } = sourceOf(name, storageClass);
  const { volumeAttributesClassName: attributes } = claim.spec;
  const storage = claim.spec.resources?.requests?.['storage'] ?? '0';
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      annotations: {
        ...marks,
        [provisionedByAnnotation]: storageClass.provisioner,
        [boundByControllerAnnotation]: 'yes',
      },
      finalizers: [volumeFinalizer],
    },
    spec: {
      accessModes: claim.spec.accessModes ?? [],
      capacity: { storage },
      claimRef: referenceTo(claim),
      ...source,
      ...(mountOptions !== undefined && { mountOptions }),
      ...(nodeSelectorTerms.length > 0 && { nodeAffinity: { required: { nodeSelectorTerms } } }),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      ...(attributes !== undefined && { volumeAttributesClassName: attributes }),
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
    },
  };
  return {
    do: 'create',
    type: persistentvolumes,
    object,
    unless: ['AlreadyExists'],
    announce: {
      regarding: claim,
      done: { reason: 'ProvisioningSucceeded', note: 'Successfully provisioned volume {name}' },
      failed: {
        reason: 'ProvisioningFailed',
        note: `failed to provision volume with StorageClass "${storageClass.metadata.name}": {error}`,
      },
    },
  };
}

interface Source {
  readonly source: Pick<PersistentVolumeSpec, 'csi' | 'hostPath'>;
  readonly marks: Readonly<Record<string, string>>;
}

/** What is made in place of a driver is the driver's, and has to be attached if it says so. */
function sourceOf(name: string, { provisioner, parameters = {} }: StorageClass): Source {
  if (provisioner === simulatedProvisioner)
    return { source: { hostPath: { path: `${volumesFolder}/${name}`, type: 'DirectoryOrCreate' } }, marks: {} };
  const fsType = parameters['csi.storage.k8s.io/fstype'];
  const csi = { driver: provisioner, volumeHandle: name, ...(fsType !== undefined && { fsType }) };
  return { source: { csi }, marks: { [simulatedAnnotation]: 'true' } };
}

/** Why the simulated provisioner cannot make what the claim asks for. */
export function provisioningProblem(
  { spec }: PersistentVolumeClaim,
  { provisioner }: StorageClass,
): string | undefined {
  if (spec.selector !== undefined) return 'claim Selector is not supported';
  if (spec.dataSource !== undefined || spec.dataSourceRef !== undefined)
    return 'a volume cannot be filled from a dataSource here; leave it out';
  if (spec.volumeAttributesClassName !== undefined && provisioner === simulatedProvisioner)
    return 'only a driver has volumes with a volumeAttributesClassName; see "Storage" of docs/simulation.md';
  return undefined;
}

/** Names of labels, with commas: a simulated volume is reached from nodes that have the same values there as the pod's node. */
export const topologyKeysParameter = 'topologyKeys';

/** From where the volume is reached: of what the class allows what is true of the chosen node. None: from everywhere. */
function reachOf({ storageClass, node }: Provisioned): readonly NodeSelectorTerm[] {
  const { allowedTopologies = [], parameters } = storageClass;
  if (node === undefined)
    return allowedTopologies.map(({ matchLabelExpressions = [] }) =>
      termOf(matchLabelExpressions.map(({ key, values }) => ({ key, values }))),
    );
  const labels = node.metadata.labels ?? {};
  const allowed = allowedTopologies.find((term) => allowsTopology([term], labels))?.matchLabelExpressions ?? [];
  const asked = (parameters?.[topologyKeysParameter] ?? '').split(',').map((key) => key.trim());
  const keys = [...new Set([...allowed.map(({ key }) => key), ...asked])].filter((key) => labels[key] !== undefined);
  return keys.length === 0 ? [] : [termOf(keys.map((key) => ({ key, values: [labels[key] ?? ''] })))];
}

function termOf(wanted: readonly { readonly key: string; readonly values: readonly string[] }[]): NodeSelectorTerm {
  return { matchExpressions: wanted.map(({ key, values }) => ({ key, operator: 'In', values })) };
}
