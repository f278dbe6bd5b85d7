import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, persistentvolumes } from '../../api/generated/kinds.ts';
import type { CSIDriver, StorageClass } from '../../api/generated/storage-v1.ts';
import { controllerOf } from '../../api/meta.ts';
import { claimFinalizer } from '../../resources/core/persistentvolume.ts';
import { mountedClaims } from '../../resources/core/pod/claims.ts';
import { isPodTerminal } from '../../resources/core/pod/facts.ts';
import {
  bestVolume,
  bindCompletedAnnotation,
  boundByControllerAnnotation,
  classOfClaim,
  isAnnotated,
  isMeantFor,
  promisedTo,
  provisionerAnnotations,
  refusal,
  selectedNodeAnnotation,
  storageOf,
} from '../../resources/core/volume-binding.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import { statusIfChanged } from '../../workloads/actions.ts';
import { type Provisioned, provision, provisioningProblem } from './provision.ts';
import { isMadeHere, isSimulatedProvisioner } from './storage-class.ts';

export interface Observed {
  readonly claim: PersistentVolumeClaim;
  /** The one that `spec.volumeName` names. */
  readonly volume: PersistentVolume | undefined;
  /** Volumes whose `claimRef` names this claim. */
  readonly promised: readonly PersistentVolume[];
  /** Volumes of the claim's class that nobody claims. */
  readonly free: readonly PersistentVolume[];
  /** The class that the claim names. */
  readonly storageClass: StorageClass | undefined;
  /** What the class's provisioner says of itself, where it is a driver. */
  readonly driver: CSIDriver | undefined;
  readonly defaultClass: StorageClass | undefined;
  /** Pods that mount the claim, whatever state they are in. */
  readonly users: readonly Pod[];
  /** The node that the scheduler has chosen for the first of them, as far as it is there. */
  readonly selectedNode: Node | undefined;
}

/** One step of a claim on its way to a volume. Each step writes an object once; the next one sees it. */
export function plan(observed: Observed): Plan {
  const { claim, users } = observed;
  if (claim.metadata.deletionTimestamp !== undefined) return leaving(claim, users);
  if (claim.metadata.finalizers?.includes(claimFinalizer) !== true) return { actions: [protect(claim)] };
  return { actions: (claim.spec.volumeName ?? '') === '' ? unbound(observed) : named(observed) };
}

function protect(claim: PersistentVolumeClaim): Action {
  const finalizers = [...(claim.metadata.finalizers ?? []), claimFinalizer];
  return updating({ ...claim, metadata: { ...claim.metadata, finalizers } });
}

/** A claim that a placed pod mounts stays until the pod is gone; one that was made for a pod alone, until nothing of that can run any more. */
function leaving(claim: PersistentVolumeClaim, users: readonly Pod[]): Plan {
  const { finalizers = [] } = claim.metadata;
  const isUsed = users.some((pod) => keepsClaim(pod, claim));
  if (isUsed || !finalizers.includes(claimFinalizer)) return nothingToDo;
  const rest = finalizers.filter((each) => each !== claimFinalizer);
  return { actions: [updating({ ...claim, metadata: { ...claim.metadata, finalizers: rest } })] };
}

/** A pod that is only waited with may wait for the very claims that were made for it. */
export function keepsClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if ((pod.spec.nodeName ?? '') === '') return false;
  const mounted = mountedClaims(pod).filter(({ name }) => name === claim.metadata.name);
  if (mounted.some(({ isEphemeral }) => !isEphemeral)) return true;
  return controllerOf(claim)?.uid === pod.metadata.uid && !isShutDown(pod);
}

/** Its node has said that it is done with it, or nobody asks its node. */
export function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

function updating(object: PersistentVolumeClaim): Action {
  return { do: 'update', type: persistentvolumeclaims, object };
}

function unbound(observed: Observed): readonly Action[] {
  const { claim, storageClass, defaultClass, selectedNode, driver } = observed;
  const className = classOfClaim(claim);
  if (className === undefined && defaultClass !== undefined)
    return [updating({ ...claim, spec: { ...claim.spec, storageClassName: defaultClass.metadata.name } })];
  const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  // Where the pod decides, the scheduler promises the volume that its node reaches.
  const volume = bestVolume(claim, isDelayed ? { ...observed, free: [] } : observed);
  if (volume !== undefined) return bind(claim, volume);
  if (isDelayed) {
    if (!isAnnotated(claim, selectedNodeAnnotation)) return pending(claim, waiting(observed));
    if (selectedNode === undefined) return [withoutSelectedNode(claim)];
  }
  if ((className ?? '') === '')
    return pending(claim, {
      reason: 'FailedBinding',
      note: 'no persistent volumes available for this claim and no storage class is set',
    });
  if (storageClass === undefined)
    return pending(claim, failing(`storageclass.storage.k8s.io "${className}" not found`));
  const made = { storageClass, node: isDelayed ? selectedNode : undefined };
  return provisioning(claim, { ...made, isSimulated: isSimulatedProvisioner(storageClass, driver) });
}

/** A claim whose class waits for a pod says for which one, once there is one. */
function waiting({ users }: Observed): Why {
  const names = users.filter((pod) => !isPodTerminal(pod) && (pod.spec.nodeName ?? '') === '').map(nameOf);
  if (names.length === 0)
    return { reason: 'WaitForFirstConsumer', note: 'waiting for first consumer to be created before binding' };
  const who = names.length === 1 ? `pod ${names[0]}` : `pods ${names.join(',')}`;
  return { reason: 'WaitForPodScheduled', note: `waiting for ${who} to be scheduled` };
}

function nameOf({ metadata }: Pod): string {
  return metadata.name;
}

/** The chosen node is gone: nobody can make a volume there, so the scheduler has to choose again. */
function withoutSelectedNode(claim: PersistentVolumeClaim): Action {
  const { [selectedNodeAnnotation]: _, ...annotations } = claim.metadata.annotations ?? {};
  return updating({ ...claim, metadata: { ...claim.metadata, annotations } });
}

function provisioning(
  claim: PersistentVolumeClaim,
  { isSimulated, ...made }: Provisioned & { readonly isSimulated: boolean },
): readonly Action[] {
  const { provisioner, metadata } = made.storageClass;
  if (provisioner === 'kubernetes.io/no-provisioner')
    return pending(claim, {
      reason: 'FailedBinding',
      note: 'no persistent volumes available for this claim and its storage class does not provision any',
    });
  if (
    !isSimulated &&
    !provisionerAnnotations.every((annotation) => claim.metadata.annotations?.[annotation] === provisioner)
  )
    return [updating(marked(claim, provisioner))];
  if (!isSimulated)
    return pending(claim, {
      reason: 'ExternalProvisioning',
      note: `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    });
  const problem = provisioningProblem(claim, made.storageClass);
  if (problem !== undefined)
    return pending(claim, failing(`failed to provision volume with StorageClass "${metadata.name}": ${problem}`));
  return [provision(claim, made)];
}

/** Whoever makes volumes for the class goes by this mark alone. */
function marked(claim: PersistentVolumeClaim, provisioner: string): PersistentVolumeClaim {
  const marks = Object.fromEntries(provisionerAnnotations.map((annotation) => [annotation, provisioner]));
  return { ...claim, metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...marks } } };
}

interface Why {
  readonly type?: 'Warning';
  readonly reason: string;
  readonly note: string;
}

function failing(note: string): Why {
  return { type: 'Warning', reason: 'ProvisioningFailed', note };
}

function pending(claim: PersistentVolumeClaim, { type, reason, note }: Why): readonly Action[] {
  return [
    { do: 'emit', regarding: claim, type: type ?? 'Normal', reason, note },
    ...statusIfChanged(persistentvolumeclaims, { object: claim, status: { phase: 'Pending' } }),
  ];
}

/** First the volume, so that no other claim takes it; then the claim. */
function bind(claim: PersistentVolumeClaim, volume: PersistentVolume): readonly Action[] {
  const actions: Action[] = [];
  const promised = promisedTo(claim, volume);
  if (promised !== volume) actions.push({ do: 'update', type: persistentvolumes, object: promised });
  const isOurs = (claim.spec.volumeName ?? '') === '';
  if (isOurs || !isAnnotated(claim, bindCompletedAnnotation)) {
    const annotations = {
      ...claim.metadata.annotations,
      [bindCompletedAnnotation]: 'yes',
      ...(isOurs && { [boundByControllerAnnotation]: 'yes' }),
    };
    const spec = { ...claim.spec, volumeName: volume.metadata.name };
    actions.push(updating({ ...claim, metadata: { ...claim.metadata, annotations }, spec }));
  }
  return actions.length === 0 ? [] : [{ do: 'inOrder', actions }];
}

/** The claim names its volume: because it is bound, or because somebody asked for that one. */
function named({ claim, volume, storageClass }: Observed): readonly Action[] {
  const wasBound = isAnnotated(claim, bindCompletedAnnotation);
  const { volumeName = '' } = claim.spec;
  if (volume === undefined) {
    if (!wasBound) return statusIfChanged(persistentvolumeclaims, { object: claim, status: { phase: 'Pending' } });
    return lost(claim, {
      reason: 'ClaimLost',
      note: 'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    });
  }
  if (volume.spec.claimRef !== undefined && !isMeantFor(volume, claim)) {
    if (!wasBound)
      return pending(claim, {
        type: 'Warning',
        reason: 'FailedBinding',
        note: `volume "${volumeName}" already bound to a different claim.`,
      });
    return lost(claim, {
      reason: 'ClaimMisbound',
      note: 'Two claims are bound to the same volume, this one is bound incorrectly',
    });
  }
  if (!wasBound && volume.spec.claimRef === undefined) {
    const problem = refusal(volume, claim);
    if (problem !== undefined)
      return pending(claim, {
        type: 'Warning',
        reason: 'VolumeMismatch',
        note: `Cannot bind to requested volume "${volumeName}": ${problem}`,
      });
  }
  const binding = bind(claim, volume);
  if (binding.length > 0) return binding;
  return [...growth(claim, { volume, storageClass }), ...bound(claim, volume)];
}

function lost(claim: PersistentVolumeClaim, { reason, note }: Why): readonly Action[] {
  if (claim.status?.phase === 'Lost') return [];
  const status = { phase: 'Lost' };
  return [
    { do: 'setStatus', type: persistentvolumeclaims, object: { ...claim, status } as PersistentVolumeClaim },
    { do: 'emit', regarding: claim, type: 'Warning', reason, note },
  ];
}

/** Simulated volumes grow with their claims where the class allows it. */
function growth(
  claim: PersistentVolumeClaim,
  { volume, storageClass }: { readonly volume: PersistentVolume; readonly storageClass: StorageClass | undefined },
): readonly Action[] {
  const storage = claim.spec.resources?.requests?.['storage'];
  if (storage === undefined || storageClass?.allowVolumeExpansion !== true) return [];
  if (!isMadeHere(volume)) return awaitingGrowth(claim, storage);
  if (storageOf({ storage }) <= storageOf(volume.spec.capacity)) return [];
  const object = { ...volume, spec: { ...volume.spec, capacity: { ...volume.spec.capacity, storage } } };
  return [{ do: 'update', type: persistentvolumes, object }];
}

function awaitingGrowth(claim: PersistentVolumeClaim, storage: string): readonly Action[] {
  const { phase, capacity } = claim.status ?? {};
  if (phase !== 'Bound' || storageOf({ storage }) <= storageOf(capacity)) return [];
  const note = 'waiting for an external controller to expand this PVC';
  return [{ do: 'emit', regarding: claim, type: 'Normal', reason: 'ExternalExpanding', note }];
}

/** What others say of it stays: who lets it grow says how far that has come. */
function bound(claim: PersistentVolumeClaim, volume: PersistentVolume): readonly Action[] {
  const { spec } = volume;
  const { phase: before, ...said } = claim.status ?? {};
  const isNew = before !== 'Bound';
  const { volumeAttributesClassName } = spec;
  const status = {
    ...said,
    phase: 'Bound',
    ...(spec.accessModes !== undefined && { accessModes: spec.accessModes }),
    ...(spec.capacity !== undefined && (isNew || isMadeHere(volume)) && { capacity: spec.capacity }),
    ...(isNew &&
      volumeAttributesClassName !== undefined && { currentVolumeAttributesClassName: volumeAttributesClassName }),
  };
  return statusIfChanged(persistentvolumeclaims, { object: claim, status });
}
