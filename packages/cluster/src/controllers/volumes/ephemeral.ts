import type { PersistentVolumeClaim, Pod } from '../../api/generated/core-v1.ts';
import { persistentvolumeclaims, pods } from '../../api/generated/kinds.ts';
import { controllerOf, type Key, keyOf } from '../../api/meta.ts';
import type { Caches } from '../../client/cache.ts';
import { isPodTerminal } from '../../resources/core/pod/facts.ts';
import { type Controller, mapped, owned } from '../../runtime/controller.ts';
import { type Action, nothingToDo, type Plan } from '../../runtime/plan.ts';
import { controllerReference } from '../../workloads/owner.ts';

export interface Observed {
  readonly pod: Pod;
  /** The claims of the names that the pod's ephemeral volumes have, as far as they exist. */
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
}

/** Makes the claims behind generic ephemeral volumes. They belong to their pod and go with it. */
export const ephemeralVolumeController: Controller<Observed> = {
  name: 'ephemeral-volume',
  source: 'ephemeral_volume',
  watches: [
    mapped(pods, ({ object, type }) => (type === 'added' && hasEphemeral(object) ? [keyOf(object)] : [])),
    owned(persistentvolumeclaims, pods),
  ],
  observe,
  plan,
};

function hasEphemeral({ spec }: Pod): boolean {
  return spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true;
}

export function observe(key: Key, caches: Caches): Observed | undefined {
  const pod = caches.of(pods).get(key);
  if (pod === undefined || !hasEphemeral(pod)) return undefined;
  const claims = new Map<string, PersistentVolumeClaim>();
  for (const { name } of pod.spec.volumes ?? []) {
    const claim = caches.of(persistentvolumeclaims).get(`${key}-${name}`);
    if (claim !== undefined) claims.set(claim.metadata.name, claim);
  }
  return { pod, claims };
}

export function plan({ pod, claims }: Observed): Plan {
  if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return nothingToDo;
  return { actions: (pod.spec.volumes ?? []).flatMap((volume) => claimFor(pod, { volume, claims })) };
}

type Volume = NonNullable<Pod['spec']['volumes']>[number];

function claimFor(
  pod: Pod,
  { volume, claims }: { readonly volume: Volume; readonly claims: Observed['claims'] },
): readonly Action[] {
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template === undefined) return [];
  const name = `${pod.metadata.name}-${volume.name}`;
  const existing = claims.get(name);
  if (existing !== undefined) {
    if (controllerOf(existing)?.uid === pod.metadata.uid) return [];
    const note = `ephemeral volume ${volume.name}: PVC ${pod.metadata.namespace}/${name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`;
    return [{ do: 'emit', regarding: pod, type: 'Warning', reason: 'FailedBinding', note }];
  }
  const { labels, annotations } = template.metadata ?? {};
  const { namespace = '' } = pod.metadata;
  const metadata = {
    name,
    namespace,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ownerReferences: [controllerReference(pod)],
  };
  return [
    {
      do: 'create',
      type: persistentvolumeclaims,
      object: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: template.spec } as Extract<
        Action,
        { do: 'create' }
      >['object'],
      announce: {
        regarding: pod,
        failed: {
          reason: 'FailedBinding',
          note: `ephemeral volume ${volume.name}: create PVC ${namespace}/${name}: {error}`,
        },
      },
    },
  ];
}
