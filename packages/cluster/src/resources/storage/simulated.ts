/** Storage that is only simulated: whose drivers are, and what is written on them of what they do. */
import type { ObjectMeta } from '../../api/meta.ts';
import { durationMs } from '../../base/duration.ts';

/** On a CSIDriver whose volumes are simulated, with the value `true`; on volumes and attachments of such drivers it outlives them. */
export const simulatedAnnotation = 'signalbox.dev/simulated';

/** On a PersistentVolume, or on its CSIDriver for all of its volumes. Durations are `500ms`, `10s`, `5m`, or `never`. */
export const storageAnnotations = {
  attachAfter: 'signalbox.dev/attach-after',
  detachAfter: 'signalbox.dev/detach-after',
  /** What the driver says instead of attaching. */
  attachError: 'signalbox.dev/attach-error',
} as const;

type Annotated = { readonly metadata: Pick<ObjectMeta, 'annotations'> } | undefined;

export function isSimulated(object: Annotated): boolean {
  return object?.metadata.annotations?.[simulatedAnnotation] === 'true';
}

export interface StorageBehaviour {
  /** Infinity: never. */
  readonly attachAfterMs: number;
  readonly detachAfterMs: number;
  readonly attachError: string | undefined;
}

const momentMs = 500;

/** The first that says something is heard; what cannot be read counts as absent. */
export function storageBehaviour(...said: readonly Annotated[]): StorageBehaviour {
  const first = <T>(name: string, read: (text: string) => T | undefined): T | undefined => {
    for (const object of said) {
      const text = object?.metadata.annotations?.[name];
      const value = text === undefined ? undefined : read(text);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  return {
    attachAfterMs: first(storageAnnotations.attachAfter, delayMs) ?? momentMs,
    detachAfterMs: first(storageAnnotations.detachAfter, delayMs) ?? momentMs,
    attachError: first(storageAnnotations.attachError, (text) => text),
  };
}

function delayMs(text: string): number | undefined {
  return text === 'never' ? Number.POSITIVE_INFINITY : durationMs(text);
}
