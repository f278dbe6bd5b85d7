import { type APIService, apiservices } from '../../api/apiservices.ts';
import { conditionOf } from '../../api/conditions.ts';
import { apiVersionOf } from '../../api/gvk.ts';
import { failure, StatusError } from '../../api/status.ts';
import type { ServerContext, WriteListener } from '../context/context.ts';
import { resourcePrefix } from '../context/keys.ts';
import type { OtherApi, OtherApis, PassToServer } from '../context/other-apis.ts';
import { type Described, probeRemote } from './probe.ts';
import { passToRemote } from './remote-api.ts';

export interface Aggregation extends OtherApis, WriteListener {
  /** Reads what is stored. */
  resume(): void;
  /** Asks the server of an APIService what it has. Undefined: it told; else what is wrong, in upstream's words. */
  probe(name: string, waiting: { readonly signal: AbortSignal }): Promise<string | undefined>;
}

export interface AggregationOptions {
  readonly context: () => ServerContext;
  readonly passToServer: PassToServer | undefined;
  /** Those that are answered in this process. An APIService with a service takes the place of one. */
  readonly local: readonly OtherApi[];
}

export const apiServicesPrefix: string = resourcePrefix(apiservices);

/** Who answers for which group and version, as the APIServices in the store say it: every write counts at once. */
export function createAggregation({ context, passToServer, local }: AggregationOptions): Aggregation {
  const remote = new Map<string, APIService>();
  const described = new Map<string, Described>();
  let all: readonly OtherApi[] = local;
  let byPlace: ReadonlyMap<string, OtherApi> = placed(local);

  const arrange = (): void => {
    const elsewhere = [...remote.values()].map(remoteApi);
    const taken = placed(elsewhere);
    all = [...local.filter((api) => !taken.has(apiVersionOf(api))), ...elsewhere];
    byPlace = placed(all);
  };
  const remoteApi = (service: APIService): OtherApi => {
    const { metadata, spec } = service;
    const { group = '', version = '' } = spec;
    const isAvailable = conditionOf(service.status?.conditions, 'Available')?.status === 'True';
    return {
      ...{ group, version, groupPriority: spec.groupPriorityMinimum, versionPriority: spec.versionPriority },
      resources: () => (isAvailable ? described.get(metadata.name)?.resources : undefined),
      openApi: () => (isAvailable ? described.get(metadata.name)?.openApi : undefined),
      async pass(passing, user) {
        if (!isAvailable) throw new StatusError(unavailable);
        return passToRemote({ service, context: context(), passToServer }, passing, user);
      },
    };
  };
  const note = (service: APIService): void => {
    const { name } = service.metadata;
    const wasRemote = remote.delete(name);
    if (service.spec.service === undefined) described.delete(name);
    else remote.set(name, service);
    if (wasRemote || remote.has(name)) arrange();
  };
  return {
    find: (at) => (byPlace.size === 0 ? undefined : byPlace.get(apiVersionOf(at))),
    all: () => all,
    put({ key, value }) {
      if (key.startsWith(apiServicesPrefix)) note(value as APIService);
    },
    removed({ key, value }) {
      if (!key.startsWith(apiServicesPrefix)) return;
      const { name } = (value as APIService).metadata;
      described.delete(name);
      if (remote.delete(name)) arrange();
    },
    resume() {
      const found = context().store.list(apiServicesPrefix);
      if (!('expired' in found)) for (const { value } of found.items) note(value as APIService);
    },
    async probe(name, { signal }) {
      const service = remote.get(name);
      if (service === undefined) return undefined;
      const known = described.get(name);
      const probed = await probeRemote({ service, context: context(), passToServer }, { signal, known });
      if (probed.ok) described.set(name, probed.described);
      return probed.ok ? undefined : probed.message;
    },
  };
}

/** What clients make of upstream's answer, which says less. */
const unavailable = failure(503, 'ServiceUnavailable', 'the server is currently unable to handle the request', {});

function placed(apis: readonly OtherApi[]): ReadonlyMap<string, OtherApi> {
  return new Map(apis.map((api) => [apiVersionOf(api), api]));
}
