/** What stands in for the attacher of each simulated driver: attaches after a moment, and keeps what is attached until it has let go. */
import type { PersistentVolume } from '../../api/generated/core-v1.ts';
import { csidrivers, persistentvolumes, volumeattachments } from '../../api/generated/kinds.ts';
import type { CSIDriver, VolumeAttachment } from '../../api/generated/storage-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { simulatedStorage } from '../../api/system-identities.ts';
import { toTimestamp } from '../../base/clock.ts';
import type { Index } from '../../client/cache.ts';
import { attachmentsByVolume } from '../../client/indexes.ts';
import { isSimulated, simulatedAnnotation, storageBehaviour } from '../../resources/storage/simulated.ts';
import { type Controller, mapped, nobody, primary } from '../../runtime/controller.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';

export interface Observed {
  readonly attachment: VolumeAttachment;
  readonly volume: PersistentVolume | undefined;
  readonly driver: CSIDriver | undefined;
  readonly memory: Memory | undefined;
}

/** Since when the driver is at it. */
export interface Memory {
  readonly what: 'attach' | 'detach';
  readonly sinceMs: number;
}

export const simulatedAttacher: Controller<Observed, Memory> = {
  name: 'simulated-attacher',
  user: simulatedStorage.user,
  watches: [
    primary(volumeattachments),
    mapped(persistentvolumes, ({ object }, caches) =>
      object.spec.csi === undefined
        ? nobody
        : caches.of(volumeattachments).by(attachmentsByVolume, object.metadata.name).map(nameOf),
    ),
    mapped(csidrivers, ({ object }, caches) =>
      caches.of(volumeattachments).by(attachmentsByDriver, object.metadata.name).map(nameOf),
    ),
  ],
  observe(name, caches, memory) {
    const attachment = caches.of(volumeattachments).get(name);
    if (attachment === undefined) return undefined;
    const volume = caches.of(persistentvolumes).get(attachment.spec.source.persistentVolumeName ?? '');
    return { attachment, volume, driver: caches.of(csidrivers).get(attachment.spec.attacher), memory };
  },
  plan,
};

const attachmentsByDriver: Index<VolumeAttachment> = {
  name: 'spec.attacher',
  valuesOf: ({ spec }) => [spec.attacher],
};

function nameOf({ metadata }: KubeObject): string {
  return metadata.name;
}

export function plan(observed: Observed, nowMs: number): Plan<Memory> {
  const { attachment, volume, driver } = observed;
  if (![attachment, volume, driver].some(isSimulated)) return nothingToDo;
  if (attachment.metadata.deletionTimestamp !== undefined) return detach(observed, nowMs);
  return attachment.status?.attached === true || volume === undefined ? nothingToDo : attach(observed, nowMs);
}

function attach({ attachment, volume, driver, memory }: Observed, nowMs: number): Plan<Memory> {
  const finalizer = attacherFinalizer(attachment.spec.attacher);
  const taken: Action[] = [];
  // The volume first: it may not go before what is attached of it.
  if (volume !== undefined && !hasFinalizer(volume, finalizer))
    taken.push({ do: 'update', type: persistentvolumes, object: held(volume, finalizer) });
  if (!hasFinalizer(attachment, finalizer))
    taken.push({ do: 'update', type: volumeattachments, object: atNode(held(attachment, finalizer)) });
  const begun: Memory = memory?.what === 'attach' ? memory : { what: 'attach', sinceMs: nowMs };
  if (taken.length > 0) return { actions: [{ do: 'inOrder', actions: taken }], memory: begun };
  const { attachAfterMs, attachError } = storageBehaviour(volume, driver);
  const inMs = begun.sinceMs + attachAfterMs - nowMs;
  if (inMs > 0) return { actions: [], memory: begun, againInMs: finite(inMs) };
  if (attachError === undefined) return { actions: [telling(attachment, { attached: true })] };
  if (attachment.status?.attachError?.message === attachError) return { actions: [], memory: begun };
  const failed = { time: toTimestamp(nowMs), message: attachError };
  return { actions: [telling(attachment, { attached: false, attachError: failed })], memory: begun };
}

function detach({ attachment, volume, driver, memory }: Observed, nowMs: number): Plan<Memory> {
  const finalizer = attacherFinalizer(attachment.spec.attacher);
  if (!hasFinalizer(attachment, finalizer)) return nothingToDo;
  const begun: Memory = memory?.what === 'detach' ? memory : { what: 'detach', sinceMs: nowMs };
  const inMs = begun.sinceMs + storageBehaviour(volume, driver).detachAfterMs - nowMs;
  if (inMs > 0) return { actions: [], memory: begun, againInMs: finite(inMs) };
  return { actions: [{ do: 'update', type: volumeattachments, object: released(attachment, finalizer) }] };
}

function telling(attachment: VolumeAttachment, status: NonNullable<VolumeAttachment['status']>): Action {
  return { do: 'setStatus', type: volumeattachments, object: { ...attachment, status } as VolumeAttachment };
}

/** How the driver knows the node. */
function atNode(attachment: VolumeAttachment): VolumeAttachment {
  const annotations = {
    ...attachment.metadata.annotations,
    'csi.alpha.kubernetes.io/node-id': attachment.spec.nodeName,
  };
  return { ...attachment, metadata: { ...attachment.metadata, annotations } };
}

/** As upstream's attachers call theirs. */
export function attacherFinalizer(driver: string): string {
  const name = driver.replaceAll(/[^a-zA-Z0-9-]/g, '-');
  return `external-attacher/${name}${name.endsWith('-') ? 'X' : ''}`;
}

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

/** With the mark, whoever keeps it is known also when its driver is gone. */
function held<T extends KubeObject>(object: T, finalizer: string): T {
  const annotations = { ...object.metadata.annotations, [simulatedAnnotation]: 'true' };
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return { ...object, metadata: { ...object.metadata, annotations, finalizers } };
}

export function released<T extends KubeObject>(object: T, finalizer: string): T {
  const finalizers = object.metadata.finalizers?.filter((each) => each !== finalizer) ?? [];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

function finite(ms: number): number | undefined {
  return Number.isFinite(ms) ? ms : undefined;
}
