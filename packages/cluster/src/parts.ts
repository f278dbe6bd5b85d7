/** The parts of a plane by name. Beside `cluster.ts` the only file that knows all of them. */

import { customresourcedefinitions } from './api/generated/kinds.ts';
import type { ResourceType } from './api/gvk.ts';
import { createApiServices } from './controllers/apiservice/controller.ts';
import { attachController, attachedController } from './controllers/attachdetach/controller.ts';
import { createRequestApprover } from './controllers/certificates/approving.ts';
import { requestCleaner } from './controllers/certificates/cleaner.ts';
import { createRequestSigner, type SignCertificate } from './controllers/certificates/signing.ts';
import { clusterroleAggregation } from './controllers/clusterrole/controller.ts';
import { cronjobController } from './controllers/cronjob/controller.ts';
import { daemonsetController } from './controllers/daemonset/controller.ts';
import { deploymentController } from './controllers/deployment/controller.ts';
import { createDisruption } from './controllers/disruption/controller.ts';
import { staleDisruptions } from './controllers/disruption/stale.ts';
import { endpointsController } from './controllers/endpoints/controller.ts';
import { endpointsliceController } from './controllers/endpointslice/controller.ts';
import { endpointsliceMirroring } from './controllers/endpointslicemirroring/controller.ts';
import { createGarbageCollector } from './controllers/gc/collector.ts';
import { createAutoscaler } from './controllers/hpa/controller.ts';
import { jobController } from './controllers/job/controller.ts';
import { createNamespaceLifecycle } from './controllers/namespace/lifecycle.ts';
import { createNodeLifecycle } from './controllers/nodehealth/lifecycle.ts';
import { nodeIpamController } from './controllers/nodeipam/controller.ts';
import { createPodCollector } from './controllers/podgc/collector.ts';
import { replicasetController } from './controllers/replicaset/controller.ts';
import { replicationcontrollerController } from './controllers/replicaset/replicationcontroller.ts';
import { createQuotaController } from './controllers/resourcequota/controller.ts';
import { type PublishedAuthority, serviceaccountController } from './controllers/serviceaccount/controller.ts';
import { statefulsetController } from './controllers/statefulset/controller.ts';
import { createSecretTokens } from './controllers/tokens/controller.ts';
import { ttlAfterFinishedController } from './controllers/ttlafterfinished/controller.ts';
import { createPolicyChecker } from './controllers/validatingadmissionpolicy/controller.ts';
import { claimController, volumeController } from './controllers/volumes/controller.ts';
import { ephemeralVolumeController } from './controllers/volumes/ephemeral.ts';
import type { Machines } from './node/machines.ts';
import { simulatedAttacher } from './node/storage/attacher.ts';
import { simulatedKeeper } from './node/storage/keeper.ts';
import { type PlanePart, planeParts } from './part-names.ts';
import type { Platform } from './runtime/component.ts';
import type { Controller } from './runtime/controller.ts';
import { createControllerRunner } from './runtime/runner.ts';
import type { ServedResources } from './runtime/served-resources.ts';
import type { CreateComponent } from './runtime/supervisor.ts';
import { type SchedulerSettings, schedulerOptions } from './scheduler/configuration/configuration.ts';
import { createScheduler } from './scheduler/loop.ts';
import type { ApiServer } from './server/server.ts';

export interface PartsOptions {
  readonly api: ApiServer;
  readonly machines: Machines;
  /** The agent of all simulated nodes, with which the simulated storage runs. */
  readonly fleet: CreateComponent;
  /** By which rules pods get their nodes. */
  readonly scheduler?: SchedulerSettings | undefined;
  /** Who signed the server's certificate. */
  readonly authority: (PublishedAuthority & { readonly signRequest?: SignCertificate }) | undefined;
}

const parts: Readonly<Record<PlanePart, (options: PartsOptions) => readonly CreateComponent[]>> = {
  'garbage-collector': ({ api }) => [(platform) => createGarbageCollector(platform, servedResources(api, platform))],
  namespace: ({ api }) => [(platform) => createNamespaceLifecycle(platform, servedResources(api, platform))],
  resourcequota: ({ api }) => [(platform) => createQuotaController(platform, servedResources(api, platform))],
  'node-lifecycle': () => [createNodeLifecycle],
  'pod-garbage-collector': () => [createPodCollector],
  disruption: ({ api }) => [
    (platform) => createDisruption(platform, { served: servedResources(api, platform) }),
    controller(staleDisruptions),
  ],
  'persistentvolume-binder': () => [controller(claimController), controller(volumeController)],
  'persistentvolume-attach-detach': () => [controller(attachController), controller(attachedController)],
  'ephemeral-volume': () => [controller(ephemeralVolumeController)],
  apiservice: ({ api }) => [(platform) => createApiServices(platform, { probe: api.aggregation.probe })],
  'horizontal-pod-autoscaler': ({ api }) => [
    (platform) => createAutoscaler(platform, { served: servedResources(api, platform) }),
  ],
  metrics: ({ machines }) => [() => machines.meter],
  endpoints: () => [controller(endpointsController)],
  endpointslice: () => [controller(endpointsliceController)],
  'endpointslice-mirroring': () => [controller(endpointsliceMirroring)],
  serviceaccount: ({ authority }) => [controller(serviceaccountController(authority && { authority }))],
  'serviceaccount-token': ({ api, authority }) => [
    (platform) => createSecretTokens(platform, { sign: api.tokens.forSecret, authority }),
  ],
  daemonset: () => [controller(daemonsetController)],
  statefulset: () => [controller(statefulsetController)],
  deployment: () => [controller(deploymentController)],
  replicaset: () => [controller(replicasetController)],
  replicationcontroller: () => [controller(replicationcontrollerController)],
  job: () => [controller(jobController)],
  cronjob: () => [controller(cronjobController)],
  'ttl-after-finished': () => [controller(ttlAfterFinishedController)],
  'clusterrole-aggregation': () => [controller(clusterroleAggregation)],
  'certificatesigningrequest-approving': () => [createRequestApprover],
  'certificatesigningrequest-signing': ({ authority }) => {
    const sign = authority?.signRequest;
    return sign === undefined ? [] : [(platform) => createRequestSigner(platform, sign)];
  },
  'certificatesigningrequest-cleaner': () => [controller(requestCleaner)],
  'validatingadmissionpolicy-status': ({ api }) => [
    (platform) => createPolicyChecker(platform, { served: () => api.describe().map(({ definition }) => definition) }),
  ],
  'node-ipam': () => [controller(nodeIpamController)],
  scheduler: ({ scheduler = {} }) => [(platform) => createScheduler(platform, schedulerOptions(scheduler))],
  nodes: ({ fleet }) => [fleet, controller(simulatedAttacher), controller(simulatedKeeper)],
};

/** The chosen ones, ready to be made. */
export function createParts(chosen: readonly PlanePart[], options: PartsOptions): readonly CreateComponent[] {
  const wanted = new Set(chosen);
  return planeParts
    .filter((part) => wanted.has(part))
    .flatMap((part): readonly CreateComponent[] => parts[part](options));
}

function controller<Observed, Memory>(definition: Controller<Observed, Memory>): CreateComponent {
  return (platform) => createControllerRunner(definition, platform);
}

/** What the API can list, watch and delete; it changes with the custom resources. */
function servedResources(api: ApiServer, { informers }: Platform): ServedResources {
  const isCollection = ({ traits }: ReturnType<ApiServer['describe']>[number]): boolean =>
    ['list', 'watch', 'delete'].every((verb) => traits.verbs.some((each) => each === verb));
  const collections = new WeakMap<object, readonly ResourceType[]>();
  return {
    resources() {
      const served = api.describe();
      const types = collections.get(served) ?? served.filter(isCollection).map(({ definition }) => definition);
      collections.set(served, types);
      return types;
    },
    onChange: (wake) => informers.listen(customresourcedefinitions, () => wake()),
  };
}
