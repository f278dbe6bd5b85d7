import type { Deployment } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { deployments, pods, replicasets } from '../../api/generated/kinds.ts';
import { isOfKind, type ResourceType } from '../../api/gvk.ts';
import { controllerOf, type Key, type KubeObject, keyOf } from '../../api/meta.ts';
import type { CacheEvent, Caches } from '../../client/cache.ts';
import { isPodTerminal } from '../../resources/core/pod/facts.ts';
import { type Controller, type Failure, mapped, nobody, owned, primary } from '../../runtime/controller.ts';
import { orphaned } from '../../workloads/watch.ts';
import { isRecreate } from './budget.ts';
import { type Memory, type Observed, observe } from './observe.ts';
import { plan } from './plan.ts';

/** Replaces one generation of pods by the next. */
export const deploymentController: Controller<Observed, Memory> = {
  name: 'deployment',
  watches: [
    primary(deployments),
    owned(replicasets, deployments),
    orphaned(replicasets, deployments),
    mapped(pods, recreatingDeployment),
  ],
  observe,
  plan,
  remember,
};

/** What the API said of the ReplicaSet that it refused, for the condition. The next plan that may make it forgets. */
export function remember(_memory: Memory | undefined, failures: readonly Failure[]): Memory | undefined {
  const refused = failures.find(({ action }) => action.do === 'create');
  return refused && { refusal: refused.message };
}

/** A pod that has ended wakes its Deployment if that waits for the end of all old pods. */
export function recreatingDeployment(event: CacheEvent<Pod>, caches: Caches): readonly Key[] {
  if (event.type !== 'deleted' && !isPodTerminal(event.object)) return nobody;
  const replicaset = ownerOf(event.object, replicasets);
  const found = replicaset && caches.of(replicasets).get(replicaset);
  const owner = found && ownerOf(found, deployments);
  const deployment: Deployment | undefined = owner === undefined ? undefined : caches.of(deployments).get(owner);
  return deployment !== undefined && isRecreate(deployment.spec) ? [keyOf(deployment)] : nobody;
}

function ownerOf(object: KubeObject, type: ResourceType): Key | undefined {
  const owner = controllerOf(object);
  return owner !== undefined && isOfKind(owner, type) ? `${object.metadata.namespace}/${owner.name}` : undefined;
}
