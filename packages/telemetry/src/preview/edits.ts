import {
  apiVersionOf,
  applyMergePatch,
  builtinType,
  equal,
  type JsonObject,
  type KubeObject,
  type New,
  planApply,
  type ResourceType,
  type Secret,
  type Service,
} from '@signalbox/cluster';
import { takeIn } from '../operator/intake.ts';
import { grafanaagents } from '../resources/grafana-agent.ts';
import { prometheuses } from '../resources/prometheus.ts';
import { prometheusagents } from '../resources/prometheus-agent.ts';
import type { Finding } from '../world/findings.ts';
import { placeOf, withIdentity } from './imagined-server.ts';
import { comparable } from './object-changes.ts';

/** What somebody means to do. */
export interface Edits {
  /** As `kubectl apply` is given them. */
  readonly manifests: readonly New<KubeObject>[];
  readonly scales: readonly Scale[];
  /** Of what names none. */
  readonly namespace: string;
}

/** `prometheus/main=4` */
export interface Scale {
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly name: string;
  readonly shards: number;
}

/** The kinds whose shards can be scaled, with the place of their number. */
export const scalableTypes: readonly { readonly type: ResourceType; readonly path: readonly string[] }[] = [
  { type: prometheuses, path: ['spec', 'shards'] },
  { type: prometheusagents, path: ['spec', 'shards'] },
  { type: grafanaagents, path: ['spec', 'metrics', 'shards'] },
];

export interface Edited {
  readonly objects: readonly KubeObject[];
  /** What a server would say of the manifests; an error: it is refused, and nothing comes of it. */
  readonly findings: readonly Finding[];
  /** What cannot be scaled, since it is not there. */
  readonly missing: readonly Scale[];
}

/**
 * The objects as they would be once the edits are made. Nothing is deleted, as `kubectl apply` deletes nothing; what names
 * no namespace goes into `namespace`.
 */
export function withEdits(objects: readonly KubeObject[], { manifests, scales, namespace }: Edits): Edited {
  const byPlace = new Map(objects.map((object) => [placeOf(object), object]));
  const findings: Finding[] = [];
  for (const manifest of manifests) {
    const declared = placed(asStored(manifest), namespace);
    const live = byPlace.get(placeOf(declared));
    const taken = takeIn([applied(live, declared)]);
    findings.push(...taken.findings.map((each) => ({ ...each, regarding: manifest as KubeObject })));
    // What differs in nothing stays the same object: whatever was made of it holds.
    for (const object of taken.objects)
      if (live === undefined || !equal(comparable(live), comparable(object))) byPlace.set(placeOf(object), object);
  }
  const missing = scales.filter((scale) => {
    const { type, namespace: place = namespace, name } = scale;
    const root = byPlace.get(
      placeOf({ apiVersion: apiVersionOf(type), kind: type.kind, metadata: { namespace: place, name } }),
    );
    if (root !== undefined) byPlace.set(placeOf(root), scaled(root, scale));
    return root === undefined;
  });
  return { objects: [...byPlace.values()], findings, missing };
}

/**
 * Another folder of manifests in place of the first: what the first alone holds is gone, what the operator has made of it
 * stays until it is no longer wanted.
 */
export function replaced(
  { before, settled }: { readonly before: readonly KubeObject[]; readonly settled: readonly KubeObject[] },
  edits: Edits,
): Edited {
  const own = new Set(before.map(placeOf));
  const named = new Set(edits.manifests.map((manifest) => placeOf(placed(asStored(manifest), edits.namespace))));
  const kept = settled.filter((object) => !own.has(placeOf(object)) || named.has(placeOf(object)));
  // In a folder everything is what its owner wrote: nothing of another folder is left in it.
  return withEdits(
    kept.map((object) => (own.has(placeOf(object)) ? bare(object) : object)),
    edits,
  );
}

/** A manifest with what a server would give it; undefined where it would be refused, which the findings tell. */
export function storedManifests(
  manifests: readonly New<KubeObject>[],
  namespace: string,
): { readonly objects: readonly KubeObject[]; readonly findings: readonly Finding[] } {
  return withEdits([], { manifests, scales: [], namespace });
}

function bare({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const identity = { ...(namespace !== undefined && { namespace }), name, uid, resourceVersion, creationTimestamp };
  return { apiVersion, kind, metadata: identity };
}

function applied(live: KubeObject | undefined, manifest: New<KubeObject>): KubeObject {
  if (live === undefined) return withIdentity(manifest);
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...metadata } = manifest.metadata;
  // kubectl always declares an annotation, its own: so it never removes all of them, those of controllers among them.
  const annotations = live.metadata.annotations && { annotations: { ...metadata.annotations } };
  const { status: _status, ...declared } = {
    ...manifest,
    metadata: { ...metadata, ...annotations },
  } as New<KubeObject> & { readonly status?: unknown };
  const patch = planApply(declared, live);
  if (patch === undefined) return live;
  return withNodePorts(live, applyMergePatch(live as unknown as JsonObject, patch) as unknown as KubeObject);
}

/** What a server gave to a port of a Service stays with it, as long as nobody asks for another node port. */
function withNodePorts(live: KubeObject, after: KubeObject): KubeObject {
  if (after.apiVersion !== 'v1' || after.kind !== 'Service') return after;
  const { spec } = after as Service;
  if (spec?.ports === undefined || (spec.type ?? 'ClusterIP') === 'ClusterIP') return after;
  const nodePorts = new Map((live as Service).spec?.ports?.map((each) => [portKey(each), each.nodePort]));
  const ports = spec.ports.map((port) => ({ nodePort: nodePorts.get(portKey(port)), ...port }));
  const known = ports.map(({ nodePort, ...port }) => (nodePort === undefined ? port : { ...port, nodePort }));
  return { ...after, spec: { ...spec, ports: known } } as KubeObject;
}

function portKey({ port, protocol = 'TCP' }: { readonly port: number; readonly protocol?: string }): string {
  return `${port}/${protocol}`;
}

function placed(object: New<KubeObject>, namespace: string): New<KubeObject> {
  const isNamespaced = builtinType(object)?.namespaced ?? true;
  return isNamespaced ? { ...object, metadata: { namespace, ...object.metadata } } : object;
}

function scaled(root: KubeObject, { type, shards }: Scale): KubeObject {
  const path = scalableTypes.find((each) => each.type === type)?.path ?? [];
  const patch = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), shards);
  return applyMergePatch(root as unknown as JsonObject, patch) as unknown as KubeObject;
}

/** A server turns what a Secret says in plain words into its data. */
function asStored(object: New<KubeObject>): New<KubeObject> {
  if (object.apiVersion !== 'v1' || object.kind !== 'Secret') return object;
  const { stringData, ...secret } = object as New<Secret>;
  // What is no text is refused later on, with its place.
  const isText = (value: unknown): boolean => typeof value === 'string';
  if (typeof stringData !== 'object' || stringData === null || !Object.values(stringData).every(isText)) return object;
  const texts = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text, 'utf8').toString('base64')]);
  return { ...secret, data: { ...secret.data, ...Object.fromEntries(texts) } } as New<KubeObject>;
}
