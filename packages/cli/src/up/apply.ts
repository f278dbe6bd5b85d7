import { type AppliedObject, type Cluster, inInstallOrder, isStatusError } from '@signalbox/cluster';
import { formatName } from '../format/objects.ts';
import { describeError } from '../io/errors.ts';
import type { Log } from '../io/log.ts';
import type { Manifest } from '../io/manifests.ts';

export interface ApplyOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Applies the manifests one by one, what others need first, as `kubectl apply` does: a refused object does not keep the
 * others out. Resolves with one line per refusal: file, line, object, and the API's words, which name the field.
 */
export async function applyManifests(
  cluster: Cluster,
  manifests: readonly Manifest[],
  { log, signal }: ApplyOptions,
): Promise<{ readonly applied: readonly AppliedObject[]; readonly refusals: readonly string[] }> {
  const byObject = new Map(manifests.map((manifest) => [manifest.object, manifest]));
  const applied: AppliedObject[] = [];
  const refusals: string[] = [];
  for (const object of inInstallOrder(manifests.map((manifest) => manifest.object))) {
    signal.throwIfAborted();
    try {
      for (const done of await cluster.apply([object])) {
        applied.push(done);
        log.write({ level: 'info', message: `${formatName(done.object)} ${done.outcome}` });
        for (const warning of done.warnings)
          log.write({ level: 'warn', message: warning, text: `Warning: ${warning}` });
      }
    } catch (error) {
      if (!isStatusError(error)) throw error;
      const { source, line } = byObject.get(object) ?? { source: '', line: 0 };
      const refusal = `${source}:${line}: ${formatName(object)}: ${describeError(error).join(' ')}${mend(error.message)}`;
      const message = `refused: ${refusal}`;
      log.write({ level: 'error', message, text: message });
      refusals.push(refusal);
    }
  }
  return { applied, refusals };
}

/** What the API's words leave open. */
function mend(message: string): string {
  const namespace = /^namespaces "(.*)" not found$/.exec(message)?.[1];
  if (namespace !== undefined) return `; add a manifest of the Namespace ${namespace}`;
  if (message.startsWith('no matches for kind'))
    return '; check apiVersion and kind, or add a manifest of its CustomResourceDefinition';
  return '';
}
