import type { EphemeralContainer, Pod } from '../../../api/generated/core-v1.ts';
import { pods } from '../../../api/generated/kinds.ts';
import type { FieldPath, Issue } from '../../../api/issue.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { equal } from '../../../base/equal.ts';
import type { Subresource } from '../../resource.ts';
import { isMirrorPod } from './references.ts';

/** How somebody who debugs a pod puts containers into it while it runs: `kubectl debug`. They come, and never go or change. */
export const ephemeralContainersSubresource: Subresource<Pod> = {
  name: 'ephemeralcontainers',
  verbs: ['get', 'update', 'patch'],
  kind: pods,
  schema: 'io.k8s.api.core.v1.Pod',
  read: (pod) => pod,
  write: (pod, body) => withEphemeralContainers(pod, body as Pod),
  validateUpdate: ephemeralContainersIssues,
};

/** Nothing else of the body counts, its metadata included. */
function withEphemeralContainers(pod: KubeObject & Pod, body: Partial<Pod>): Pod {
  const { ephemeralContainers: _before, ...spec } = pod.spec;
  const { ephemeralContainers = [] } = body.spec ?? {};
  if (ephemeralContainers.length === 0) return { ...pod, spec };
  return { ...pod, spec: { ...spec, ephemeralContainers } };
}

function* ephemeralContainersIssues(next: Pod, current: Pod, at: FieldPath): Iterable<Issue> {
  if (isMirrorPod(current)) {
    // The place of a mistake that is nowhere, as upstream spells it.
    yield { ...at().forbidden('static pods do not support ephemeral containers'), field: '[]' };
    return;
  }
  const place = at('spec', 'ephemeralContainers');
  const after = new Map((next.spec.ephemeralContainers ?? []).map((each) => [each.name, each]));
  for (const before of current.spec.ephemeralContainers ?? []) {
    const { name } = before;
    const container = after.get(name);
    if (container === undefined) yield place.forbidden(`existing ephemeral containers "${name}" may not be removed\n`);
    else if (!equal(container, before))
      yield place.forbidden(
        `existing ephemeral containers "${name}" may not be changed\n${changes(container, before).join('\n')}`,
      );
  }
}

function changes(next: EphemeralContainer, current: EphemeralContainer): readonly string[] {
  const fields = new Set([...Object.keys(next), ...Object.keys(current)]) as Set<keyof EphemeralContainer>;
  return [...fields].filter((field) => !equal(next[field], current[field]));
}
