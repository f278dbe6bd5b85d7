import type { KubeObject } from '../../api/meta.ts';
import type { DeleteOptions } from '../../api/operation.ts';
import { fromTimestamp, toTimestamp } from '../../base/clock.ts';
import { fresh } from '../../base/fresh.ts';
import type { Served } from '../context/registry.ts';
import { hasContentFinalizer } from './finish.ts';
import { withStatus } from './prepare.ts';

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

/** What a delete makes of an object. */
export type DeletePlan =
  | { readonly do: 'keep' }
  /** Marked as deleting; somebody else removes it later. */
  | { readonly do: 'mark'; readonly next: KubeObject }
  | { readonly do: 'remove'; readonly last: KubeObject };

export interface DeleteRequest {
  readonly served: Served;
  readonly options: DeleteOptions;
  readonly nowMs: number;
}

export function planDelete(current: KubeObject, request: DeleteRequest): DeletePlan {
  const object = prepared(current, request);
  if (isMarkedFirst(current, request.served)) return { do: 'mark', next: markedAt(object, request.nowMs) };
  const grace = graceOf(object, request);
  const finalizers = finalizersAfter(object, request);
  const held = finalizers.length > 0 || isHeld(object, request.served);
  const marked = markAsDeleting(withFinalizers(object, finalizers), { graceMs: grace * 1000, nowMs: request.nowMs });
  if (!held && grace === 0) {
    // What may take its time is marked also when it takes none.
    const last = request.served.definition.gracePeriodSeconds === undefined ? object : marked;
    return { do: 'remove', last: withFinalizers(last, finalizers) };
  }
  if (marked === current) return { do: 'keep' };
  return { do: 'mark', next: request.served.traits.heldBySpec ? terminating(marked) : marked };
}

function isMarkedFirst({ metadata }: KubeObject, { traits }: Served): boolean {
  return traits.marksFirst && metadata.deletionTimestamp === undefined;
}

function markedAt(object: KubeObject, nowMs: number): KubeObject {
  return { ...fresh, ...object, metadata: { ...fresh, ...object.metadata, deletionTimestamp: toTimestamp(nowMs) } };
}

/** 68 years. The end of a longer wait has no time stamp. */
const graceSecondsMax = 2 ** 31 - 1;

function prepared(object: KubeObject, { served, nowMs }: DeleteRequest): KubeObject {
  if (object.metadata.deletionTimestamp !== undefined) return object;
  return served.definition.prepareForDelete?.(object, { nowMs }) ?? object;
}

/** Seconds until the object may go, from now or from when its deletion began. */
function graceOf(object: KubeObject, { served, options }: DeleteRequest): number {
  const own = served.definition.gracePeriodSeconds;
  if (own === undefined) return 0;
  const usual = own(object);
  // Nothing runs yet or any more: there is nothing to wait for.
  if (usual === 0) return 0;
  const asked = Math.min(Math.max(0, options.gracePeriodSeconds ?? Number(usual)), graceSecondsMax);
  // Once running, a grace period can only be cut short.
  return Math.min(asked, object.metadata.deletionGracePeriodSeconds ?? asked);
}

/** The garbage collector's finalizers follow the propagation policy; all others are left alone. */
function finalizersAfter(object: KubeObject, { served, options }: DeleteRequest): readonly string[] {
  const current = object.metadata.finalizers ?? [];
  const { propagationPolicy } = options;
  if (!served.traits.isCollected) return current;
  const wanted =
    propagationPolicy === undefined ? defaultFinalizer(current, served) : policyFinalizers[propagationPolicy];
  const others = current.filter((finalizer) => finalizer !== orphan && finalizer !== foreground);
  const next = wanted === undefined ? others : [...others, wanted];
  const same = next.length === current.length && next.every((finalizer) => current.includes(finalizer));
  return same ? current : next;
}

const policyFinalizers = { Orphan: orphan, Foreground: foreground, Background: undefined } as const;

function defaultFinalizer(current: readonly string[], { traits }: Served): string | undefined {
  if (current.includes(orphan)) return orphan;
  if (current.includes(foreground)) return foreground;
  return traits.orphansByDefault ? orphan : undefined;
}

function isHeld(object: KubeObject, served: Served): boolean {
  return served.traits.heldBySpec && hasContentFinalizer(object);
}

function withFinalizers(object: KubeObject, finalizers: readonly string[]): KubeObject {
  const { finalizers: current = [] } = object.metadata;
  if (current === finalizers || (current.length === 0 && finalizers.length === 0)) return object;
  const { finalizers: _old, ...metadata } = object.metadata;
  return {
    ...fresh,
    ...object,
    metadata: { ...fresh, ...metadata, ...(finalizers.length > 0 && { finalizers }) },
  };
}

function markAsDeleting(
  object: KubeObject,
  { graceMs, nowMs }: { readonly graceMs: number; readonly nowMs: number },
): KubeObject {
  const { metadata } = object;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  const seconds = graceMs / 1000;
  if (deletionTimestamp !== undefined && seconds === deletionGracePeriodSeconds) return object;
  // The timestamp says when grace ends, so it moves by what was cut.
  const endMs =
    deletionTimestamp === undefined
      ? nowMs + graceMs
      : fromTimestamp(deletionTimestamp) - (deletionGracePeriodSeconds - seconds) * 1000;
  return {
    ...fresh,
    ...object,
    metadata: {
      ...fresh,
      ...metadata,
      deletionTimestamp: toTimestamp(endMs),
      deletionGracePeriodSeconds: seconds,
      // Who is being deleted already is wanted no other than before.
      ...(metadata.generation !== undefined &&
        deletionTimestamp === undefined && { generation: metadata.generation + 1 }),
    },
  };
}

function terminating(namespace: KubeObject): KubeObject {
  const { status } = namespace as { readonly status?: object };
  const { deletionGracePeriodSeconds: _none, ...metadata } = namespace.metadata;
  return withStatus({ ...namespace, metadata }, { ...status, phase: 'Terminating' });
}
