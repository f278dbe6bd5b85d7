import { gunzipSync } from 'node:zlib';
import type { KubeObject, New } from '@signalbox/cluster';
import type { TreeNode } from '../tree/tree.ts';
import type { Finding } from '../world/findings.ts';
import { compare, type World, worldOf } from '../world/world.ts';
import type { RootComponent } from './component.ts';
import { takeIn } from './intake.ts';

/** What a set of manifests comes to, without any cluster. */
export interface RenderedManifests {
  /** Every generated object, per root in the order in which the operator writes them. */
  readonly objects: readonly New<KubeObject>[];
  /** The agents' configurations as text, by `<namespace>/<secret>/<key>`, sorted. */
  readonly configs: Readonly<Record<string, string>>;
  readonly findings: readonly Finding[];
  readonly trees: readonly TreeNode[];
}

export interface RenderOptions {
  readonly components: readonly RootComponent[];
  /** Milliseconds since the epoch, for what depends on time (how long a removed shard is kept). */
  readonly nowMs: number;
}

/**
 * Renders every root that is among the manifests; the other objects are what the roots select and refer to. What an API
 * server would refuse is left out and among the findings.
 */
export function renderManifests(manifests: Iterable<KubeObject>, options: RenderOptions): RenderedManifests {
  const { objects, findings } = takeIn(manifests);
  const rendered = renderWorld(worldOf(objects), options);
  return { ...rendered, findings: [...findings, ...rendered.findings] };
}

export function renderWorld(world: World, { components, nowMs }: RenderOptions): RenderedManifests {
  const roots = components.flatMap((component) =>
    world
      .list(component.rootType)
      .filter((root) => component.foreignBecause?.(root) === undefined)
      .map((root) => ({ component, root })),
  );
  const built = roots.map(({ component, root }) => component.build(root, world, { nowMs }));
  const paused = roots.filter(({ component, root }) => component.isPaused?.(root) === true).map(({ root }) => root);
  const objects = built.flatMap((desired) => desired.objects);
  return {
    objects,
    configs: Object.fromEntries(objects.flatMap((object) => configsOf(object)).sort(([a], [b]) => compare(a, b))),
    findings: [...paused.map(pausedFinding), ...built.flatMap(({ findings }) => findings)],
    trees: built.map(({ tree }) => tree()),
  };
}

/** What is rendered is what would come once the root is no longer paused. */
function pausedFinding(root: KubeObject): Finding {
  const message = 'is set: nothing would change until it is taken away';
  return { severity: 'warning', regarding: root, reason: 'Paused', field: 'spec.paused', message };
}

/** Only what agents read as their configuration: the assets Secret holds other people's secrets. */
export function configsOf(
  object: New<KubeObject>,
  read: (base64: string) => string = decodedConfig,
): readonly (readonly [string, string])[] {
  if (object.kind !== 'Secret') return [];
  const { data = {} } = object as New<KubeObject> & { readonly data?: Readonly<Record<string, string>> };
  return Object.entries(data)
    .filter(([key]) => configKey.test(key))
    .map(([key, value]) => [`${object.metadata.namespace}/${object.metadata.name}/${key}`, read(value)] as const);
}

const configKey = /^(agent\.yml|prometheus\.yaml\.gz|web-config\.yaml)$/;

export function decodedConfig(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isCompressed ? gunzipSync(bytes) : bytes).toString('utf8');
}
