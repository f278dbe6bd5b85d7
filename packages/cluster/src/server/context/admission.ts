import { type GroupVersionResource, isSameResource, type ResourceType } from '../../api/gvk.ts';
import type { Issue } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { User } from '../../api/operation.ts';
import type { Served } from './registry.ts';

/**
 * A say in what gets stored, beyond the kind's own definition: it may look at other objects. Plugins for one resource run
 * in the order of the list; the first that throws a `StatusError` refuses the write.
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** The kinds that it has a say in. */
  readonly resources: readonly Kind[] | 'all';
  create?(object: KubeObject, world: AdmissionWorld): KubeObject;
  update?(next: KubeObject, current: KubeObject, world: AdmissionWorld): KubeObject;
  /** What is wrong with an object, told together with what its own definition finds. `current` is absent for a new one. */
  issues?(change: { readonly next: KubeObject; readonly current?: KubeObject }, served: Served): Iterable<Issue>;
  /** Refuses a new object that is complete and valid: when all who may change it have. */
  checkCreate?(object: KubeObject, world: AdmissionWorld): void;
  checkUpdate?(next: KubeObject, current: KubeObject, world: AdmissionWorld): void;
  /** Before an object is marked as deleting or removed. */
  delete?(object: KubeObject, world: AdmissionWorld): void;
}

/** What a plugin may look at. */
export interface AdmissionWorld {
  readonly served: Served;
  readonly user: User;
  readonly dryRun: boolean;
  /** The door that the change comes in by; undefined for the main one. */
  readonly subresource: string | undefined;
  readonly nowMs: number;
  /** Shown to the user. */
  warn(text: string): void;
  /** Noted of the request in the audit log, where there is one. */
  annotate(key: string, value: string): void;
  /** Reads the store: `get(namespaces, { name: 'default' })`. */
  get<T extends KubeObject>(kind: ResourceType<T>, place: Place): T | undefined;
  /** All objects of a kind, or those of a namespace. For kinds of which there are few. */
  list<T extends KubeObject>(kind: ResourceType<T>, within?: { readonly namespace: string | undefined }): readonly T[];
}

/** A resource in whatever version. */
export type Kind = Pick<GroupVersionResource, 'group' | 'resource'>;

export interface Place {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export function pluginsFor(plugins: readonly AdmissionPlugin[], served: Served): readonly AdmissionPlugin[] {
  let chosen = perServed.get(served);
  if (chosen?.plugins !== plugins) {
    const { definition } = served;
    const concerns = ({ resources }: AdmissionPlugin): boolean =>
      resources === 'all' || resources.some((each) => isSameResource(each, definition));
    chosen = { plugins, applying: plugins.filter(concerns) };
    perServed.set(served, chosen);
  }
  return chosen.applying;
}

const perServed = new WeakMap<
  Served,
  { readonly plugins: readonly AdmissionPlugin[]; readonly applying: readonly AdmissionPlugin[] }
>();
