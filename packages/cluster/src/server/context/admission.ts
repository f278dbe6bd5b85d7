import type { KubeObject } from '../../api/meta.ts';
import type { User } from '../../api/operation.ts';
import type { Served } from './registry.ts';

/**
 * A say in what gets stored, beyond the kind's own definition: it may look at other objects. Plugins for one resource run
 * in the order of the list; the first that throws a `StatusError` refuses the write.
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** Names like `/pods` or `apps/deployments`. */
  readonly resources: readonly string[];
  create?(object: KubeObject, world: AdmissionWorld): KubeObject;
  update?(next: KubeObject, current: KubeObject, world: AdmissionWorld): KubeObject;
  /** Before an object is marked as deleting or removed. */
  delete?(object: KubeObject, world: AdmissionWorld): void;
}

/** What a plugin may look at. */
export interface AdmissionWorld {
  readonly served: Served;
  readonly user: User;
  readonly dryRun: boolean;
  readonly nowMs: number;
  /** Shown to the user. */
  warn(text: string): void;
  /** Reads the store: `get('/namespaces', undefined, 'default')`. */
  get(resource: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /** All objects of a resource. For resources of which there are few. */
  list(resource: string): readonly KubeObject[];
}

export function pluginsFor(plugins: readonly AdmissionPlugin[], served: Served): readonly AdmissionPlugin[] {
  let chosen = perServed.get(served);
  if (chosen?.plugins !== plugins) {
    const name = `${served.definition.group}/${served.definition.resource}`;
    chosen = { plugins, applying: plugins.filter(({ resources }) => resources.includes(name)) };
    perServed.set(served, chosen);
  }
  return chosen.applying;
}

const perServed = new WeakMap<
  Served,
  { readonly plugins: readonly AdmissionPlugin[]; readonly applying: readonly AdmissionPlugin[] }
>();
