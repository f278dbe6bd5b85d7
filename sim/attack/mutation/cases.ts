import { type KubeObject, type New, type Random, schemaOf } from '@signalbox/cluster';
import { type SchemaNode, type Served, schemaFor } from '@signalbox/cluster/testing';
import { mapKey, nodeAt, type Path, plausible, type Site, sitesOf, withValueAt } from './sites.ts';
import { type Mutation, mutationsOf } from './values.ts';

/** By which request a mutated object comes in. */
export type Door = 'create' | 'update' | 'merge' | 'strategic' | 'json' | 'status' | 'status by patch' | SideDoor;
type SideDoor = 'scale' | 'binding' | 'eviction';

export interface Case {
  readonly served: Served;
  readonly door: Door;
  readonly path: Path;
  readonly mutation: Mutation;
  /** Whether what is missing above the field is made as its schema wants it, or left bare. */
  readonly isPlausible: boolean;
}

interface SideDoorFacts {
  readonly schema: string;
  readonly body: object;
}

/** Subresources that take another kind than their object's. */
const sideDoors: Readonly<Record<SideDoor, SideDoorFacts>> = {
  scale: { schema: 'io.k8s.api.autoscaling.v1.Scale', body: { spec: { replicas: 1 } } },
  binding: { schema: 'io.k8s.api.core.v1.Binding', body: { target: { kind: 'Node', name: 'node-1' } } },
  eviction: { schema: 'io.k8s.api.policy.v1.Eviction', body: {} },
};

export function isSideDoor(door: string): door is SideDoor {
  return Object.hasOwn(sideDoors, door);
}

/** A field, and a request by which it can be sent. */
interface Spot {
  readonly door: Door;
  readonly site: Site;
}

/** Draws a field of the kind, a request and a mutation, each as likely as any other. */
export function createDraw(served: Served, random: Random): () => Case {
  const spots = spotsOf(served);
  const first = emptiedStatus(spots).map((spot) => ({ served, isPlausible: true, ...spot }));
  return () => {
    const next = first.pop();
    if (next !== undefined) return next;
    const { door, site } = picked(spots, random);
    return {
      served,
      door,
      path: site.path,
      mutation: picked(mutationsOf(site.node), random),
      isPlausible: random.below(3) !== 0,
    };
  };
}

/** All of the status at once, which a draw among millions would hardly ever bring. */
function emptiedStatus(spots: readonly Spot[]): Pick<Case, 'door' | 'path' | 'mutation'>[] {
  return spots
    .filter(({ site: { path } }) => path.length === 1 && path[0] === 'status')
    .flatMap(({ door, site: { path } }) =>
      [undefined, null, {}].map((value) => ({
        door,
        path,
        mutation: { name: JSON.stringify(value) ?? 'removed', value },
      })),
    );
}

function picked<T>(items: readonly T[], random: Random): T {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('there is nothing to draw from');
  return item;
}

function spotsOf(served: Served): readonly Spot[] {
  const { definition, traits } = served;
  const isStored = traits.verbs.includes('get');
  const main = sitesOf(schemaFor(served)).flatMap((site) => {
    const isStatus = site.path[0] === 'status' && definition.hasStatus;
    const doors = isStatus ? statusDoors : mainDoors(served, isStored);
    return doors.map((door) => ({ door, site }));
  });
  const side = definition.subresources.flatMap(({ name }) => {
    if (!isSideDoor(name)) return [];
    return sitesOf(schemaOf(sideDoors[name].schema)).map((site) => ({ door: name, site }));
  });
  // As many again, so that the few fields of the small doors are not lost among those of a pod.
  const often = Math.max(1, Math.floor(main.length / 10 / Math.max(1, side.length)));
  return [...main, ...Array.from({ length: often }, () => side).flat()];
}

const statusDoors: readonly Door[] = ['status', 'status by patch'];

function mainDoors({ crd }: Served, isStored: boolean): readonly Door[] {
  if (!isStored) return ['create'];
  return crd === undefined ? ['create', 'update', 'merge', 'strategic', 'json'] : ['create', 'update', 'merge', 'json'];
}

/** `Deployment create spec.replicas = null`. */
export function nameOfCase({ served, door, path, mutation, isPlausible }: Case): string {
  const field = path.map((step) => (step === 0 ? '[0]' : step === mapKey ? '[key]' : `.${step}`)).join('');
  return `${served.definition.kind} (${served.apiVersion}) ${door} ${field.slice(1)} = ${mutation.name}${isPlausible ? '' : ', bare'}`;
}

/** The object of the case, mutated. */
export function mutated(tried: Case, object: unknown): unknown {
  const { served, door, path, mutation, isPlausible } = tried;
  const schema: SchemaNode = isSideDoor(door) ? schemaOf(sideDoors[door].schema) : schemaFor(served);
  const missing = (at: Path): unknown => (isPlausible ? plausible(nodeAt(schema, at)) : undefined);
  return withValueAt(object, path, { value: mutation.value, missing });
}

export function sideDoorBody(door: SideDoor): object {
  return sideDoors[door].body;
}

/** Kinds whose names say what stands in their specs, or are no words. */
const named: Readonly<Record<string, (number: number) => { readonly name: string; readonly spec: object }>> = {
  customresourcedefinitions: (number) => ({
    name: `m${number}s.specimen.example.com`,
    spec: { names: { plural: `m${number}s`, kind: `M${number}` } },
  }),
  apiservices: (number) => ({
    name: `v1.m${number}.specimen.example.com`,
    spec: { group: `m${number}.specimen.example.com` },
  }),
  ipaddresses: (number) => ({ name: `10.201.${(number >> 8) & 255}.${number & 255}`, spec: {} }),
};

/** The specimen under a name of its own, where the kind's names depend on each other under several. */
export function specimenOf(
  served: Served,
  { content, number }: { readonly content: object; readonly number: number },
): New<KubeObject> {
  const { definition, apiVersion } = served;
  const { name, spec: own } = named[definition.resource]?.(number) ?? { name: `m${number}`, spec: undefined };
  const { spec } = content as { readonly spec?: object };
  // Questions about access may have no name.
  const isNamed = !definition.resource.endsWith('accessreviews');
  return {
    apiVersion,
    kind: definition.kind,
    metadata: { ...(isNamed && { name }), ...(definition.namespaced && { namespace: 'default' }) },
    ...content,
    ...(own !== undefined && { spec: { ...spec, ...own } }),
  } as New<KubeObject>;
}

const multiplying: ReadonlySet<string> = new Set([
  'replicas',
  'minReplicas',
  'maxReplicas',
  'parallelism',
  'completions',
  'shards',
]);
const manyMin = 50;

/** Millions of pods are asked for and got, here as on any cluster: such a case is only tried as a dry run. */
export function multiplies({ path, mutation }: Case): boolean {
  return multiplying.has(String(path.at(-1))) && typeof mutation.value === 'number' && mutation.value > manyMin;
}
