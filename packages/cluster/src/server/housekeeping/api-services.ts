import { type APIService, apiServiceName, apiservices } from '../../api/apiservices.ts';
import { apiVersionOf } from '../../api/gvk.ts';
import type { StoredMeta } from '../../api/meta.ts';
import { toTimestamp } from '../../base/clock.ts';
import { type Random, randomUuid } from '../../base/random.ts';
import { locallyAvailable } from '../../resources/apiregistration/apiservice.ts';
import { type ApiPriority, builtinPriority, customPriority } from '../../resources/apiregistration/priorities.ts';
import type { Stored } from '../../store/store.ts';
import type { ServerContext, WriteListener } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { ApiPlace, OtherApi } from '../context/other-apis.ts';
import type { Served } from '../context/registry.ts';
import { commit } from '../writing/commit.ts';
import { crdPrefix } from './crds.ts';
import { ownRequest } from './own-request.ts';

/** The APIServices of what is answered in this process: they say so, and nothing depends on them. */
export interface LocalApiServices extends WriteListener {
  /** Writes those that are missing, takes away those of what is gone; from then on with every custom resource that comes or goes. */
  write(): Promise<void>;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
}

export interface LocalApiServicesOptions {
  readonly context: () => ServerContext;
  readonly local: readonly OtherApi[];
}

export function createLocalApiServices({ context, local }: LocalApiServicesOptions): LocalApiServices {
  let isKeeping = false;
  let running: Promise<void> | undefined;
  let isAgain = false;
  let random: Random | undefined;
  const keep = async (): Promise<void> => {
    // Drawn from apart, so that what is named later is called the same with and without them.
    random ??= context().random.fork('apiservices');
    do {
      isAgain = false;
      await bringUp(context(), { local, random });
    } while (isAgain);
  };
  const wake = (): Promise<void> => {
    isAgain = true;
    running ??= keep().finally(() => {
      running = undefined;
    });
    return running;
  };
  /** A store that fails tells those who write; the next one that comes or goes tries again. */
  const consider = ({ key }: Stored): void => {
    if (isKeeping && (key.startsWith(crdPrefix) || key.startsWith(apiServicePrefix))) wake().catch(() => undefined);
  };
  return {
    put(stored) {
      if (stored.key.startsWith(crdPrefix)) consider(stored);
    },
    removed: consider,
    write() {
      isKeeping = true;
      return wake();
    },
    idle: async () => running?.catch(() => undefined),
  };
}

const apiServicePrefix = `/${apiservices.group}/${apiservices.resource}/`;

/** `onstart`: what this program serves; `true`: what custom resources bring, as upstream marks them. */
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

interface Keeping {
  readonly local: readonly OtherApi[];
  readonly random: Random;
}

async function bringUp(context: ServerContext, { local, random }: Keeping): Promise<void> {
  const served = context.registry.find(apiservices);
  const found = context.store.list(apiServicePrefix);
  if (served === undefined || 'expired' in found) return;
  const wanted = wantedServices(context, local);
  const stored = new Map(found.items.map((item) => [(item.value as APIService).metadata.name, item]));
  await Promise.all([
    ...[...wanted]
      .filter(([name]) => !stored.has(name))
      .map(([, service]) => create(context, { served, service, random })),
    ...[...stored]
      .filter(([name, { value }]) => !wanted.has(name) && isOurs(value as APIService))
      .map(([, item]) => remove(context, { served, stored: item })),
  ]);
}

function isOurs({ metadata, spec }: APIService): boolean {
  return spec.service === undefined && metadata.labels?.[managedLabel] !== undefined;
}

function wantedServices({ registry }: ServerContext, local: readonly OtherApi[]): ReadonlyMap<string, APIService> {
  const wanted = new Map<string, APIService>();
  const want = (
    place: ApiPlace,
    { priority, mark }: { readonly priority: ApiPriority; readonly mark: string },
  ): void => {
    const service = localService(place, { priority, mark });
    if (!wanted.has(service.metadata.name)) wanted.set(service.metadata.name, service);
  };
  for (const { definition, crd } of registry.all()) {
    // Upstream's own is not among them either.
    if (definition.group === apiservices.group) continue;
    if (crd !== undefined) want(definition, { priority: customPriority, mark: 'true' });
    else want(definition, { priority: builtinPriority(definition) ?? viewPriority, mark: 'onstart' });
  }
  for (const { groupPriority, versionPriority, ...place } of local)
    want(place, { priority: { group: groupPriority, version: versionPriority }, mark: 'onstart' });
  return wanted;
}

/** Where metrics servers register themselves. */
const viewPriority: ApiPriority = { group: 100, version: 100 };

function localService(
  { group, version }: ApiPlace,
  { priority, mark }: { readonly priority: ApiPriority; readonly mark: string },
): APIService {
  const metadata = { name: apiServiceName({ group, version }), labels: { [managedLabel]: mark } };
  return {
    ...{ apiVersion: apiVersionOf(apiservices), kind: apiservices.kind },
    metadata: metadata as unknown as StoredMeta,
    spec: { group, version, groupPriorityMinimum: priority.group, versionPriority: priority.version },
  };
}

interface Creation {
  readonly served: Served;
  readonly service: APIService;
  readonly random: Random;
}

async function create(context: ServerContext, { served, service, random }: Creation): Promise<void> {
  const now = toTimestamp(context.clock.nowMs());
  const after: APIService = {
    ...service,
    metadata: { ...service.metadata, uid: randomUuid(random), creationTimestamp: now },
    status: { conditions: [{ ...locallyAvailable, lastTransitionTime: now }] },
  };
  const key = objectKey(served.prefix, undefined, service.metadata.name);
  // Whoever is faster than this knows better.
  await commit(context, { request: ownRequest(served, 'create'), key, after, ends: false });
}

async function remove(
  context: ServerContext,
  { served, stored }: { readonly served: Served; readonly stored: Stored },
): Promise<void> {
  const object = stored.value as APIService;
  const before = { stored, object };
  await commit(context, { request: ownRequest(served, 'delete'), key: stored.key, before, after: object, ends: true });
}
