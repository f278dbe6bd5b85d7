/** What a release leaves in a cluster, and what of it the next one restarts: what `signalbox diff` says there. Pure. */
import type { KubeObject, New } from '@signalbox/cluster';
import { defaultComponents, foretell, planChanges, storedManifests, type WorkloadChange } from '@signalbox/telemetry';

/** At the epoch: no time is in what is compared. */
const options = { components: defaultComponents(), nowMs: 0 } as const;
const workloadKinds: ReadonlySet<string> = new Set(['DaemonSet', 'Deployment', 'StatefulSet']);

/** What is declared, and the workloads that the operator, as it is here, makes of it. */
export function recordOf(manifests: readonly New<KubeObject>[]): readonly KubeObject[] {
  // A hand-over that is remembered in the middle would go on in every record.
  const declared = manifests.filter(({ metadata }) => metadata.annotations?.['signalbox.dev/shards'] === undefined);
  const { objects } = storedManifests(declared, 'default');
  const { objects: settled, isEndless } = foretell(objects, options);
  if (isEndless) throw new Error('the operator does not come to rest on this example: it says nothing of restarts');
  const places = new Set(objects.map(placeOf));
  return settled.filter((object) => places.has(placeOf(object)) || workloadKinds.has(object.kind));
}

/** What becomes of the pods of one workload. */
export interface PodChange {
  /** The kind of the root that it belongs to. */
  readonly root: string;
  /** `StatefulSet` */
  readonly workload: string;
  readonly effect: WorkloadChange['effect'];
  readonly fields: readonly ChangedField[];
}

export interface ChangedField {
  readonly path: string;
  /** Undefined: it was not there, or is no plain short value. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface Compared {
  /** How many workloads there were of each kind of root and workload: `GrafanaAgent DaemonSet`. */
  readonly looked: ReadonlyMap<string, number>;
  readonly changes: readonly PodChange[];
}

/** What the operator, as it is here, does to the workloads of a record. */
export function compareWith(record: readonly KubeObject[]): Compared {
  const { workloads, objects: changed } = planChanges(record, record, options);
  const known = new Map([...foretell(record, options).objects, ...record].map((object) => [placeOf(object), object]));
  const fieldsOf = new Map(changed.map(({ object, fields }) => [refPlace(object), fields]));
  const looked = new Map<string, number>();
  for (const object of record) {
    const root = ownerOf(object);
    if (!workloadKinds.has(object.kind) || root === undefined) continue;
    const each = `${root} ${object.kind}`;
    looked.set(each, (looked.get(each) ?? 0) + 1);
  }
  const changes = workloads.map(({ workload, effect, because }) => {
    const place = refPlace(workload);
    const values = new Map(fieldsOf.get(place)?.map((field) => [field.path, field]));
    const fields = because.map((path) => ({
      path,
      before: values.get(path)?.before,
      after: values.get(path)?.after,
    }));
    return { root: ownerOf(known.get(place)) ?? 'nobody', workload: workload.kind, effect, fields };
  });
  return { looked, changes };
}

function ownerOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.ownerReferences?.find(({ controller }) => controller === true)?.kind;
}

function placeOf({ kind, metadata }: KubeObject): string {
  return refPlace({ kind, namespace: metadata.namespace, name: metadata.name });
}

interface Ref {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

function refPlace({ kind, namespace = '', name }: Ref): string {
  return `${kind} ${namespace}/${name}`;
}
