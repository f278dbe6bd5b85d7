import { type APIService, apiservices } from '../../api/apiservices.ts';
import { endpointslices, services } from '../../api/generated/kinds.ts';
import { keyOf } from '../../api/meta.ts';
import { controllerUser } from '../../api/system-identities.ts';
import { equal } from '../../base/equal.ts';
import type { Component, Platform } from '../../runtime/component.ts';
import { createKeyedWork, type RunContext } from '../../runtime/keyed-work.ts';
import { type Finding, type Observed, obstacle, plan } from './plan.ts';

export interface ApiServicesOptions {
  /** Asks the server of an APIService what it has: undefined when it told, else what is wrong. */
  probe(name: string, waiting: { readonly signal: AbortSignal }): Promise<string | undefined>;
}

const name = 'apiservice';

/** Keeps what APIServices say of their availability true: requests are passed on only to servers that are available. */
export function createApiServices(platform: Platform, { probe }: ApiServicesOptions): Component {
  const { informers, clock } = platform;

  const handle = async (key: string, { signal, perform }: RunContext): Promise<number | undefined> => {
    const apiService = informers.of(apiservices).get(key);
    if (apiService === undefined) return undefined;
    const finding = await find(observe(apiService), { signal });
    const { actions, againInMs } = plan(apiService, finding, clock.nowMs());
    await perform(actions);
    return againInMs;
  };
  const find = async (observed: Observed, { signal }: { readonly signal: AbortSignal }): Promise<Finding> => {
    const { metadata, spec } = observed.apiService;
    if (spec.service === undefined) return { is: 'local' };
    const found = obstacle(observed);
    if (found !== undefined) return { is: 'obstructed', obstacle: found };
    return { is: 'asked', failure: await probe(metadata.name, { signal }) };
  };
  const observe = (apiService: APIService): Observed => {
    const { namespace = '', name: service = '' } = apiService.spec.service ?? {};
    return {
      apiService,
      service: informers.of(services).get(`${namespace}/${service}`),
      slices: informers
        .of(endpointslices)
        .inNamespace(namespace)
        .filter(({ metadata }) => metadata.labels?.[serviceNameLabel] === service),
    };
  };

  return {
    name,
    async run({ signal }) {
      const work = createKeyedWork({ name, user: controllerUser(name), platform, workers: 4, handle });
      await informers.sync([apiservices, services, endpointslices], { signal });
      const wakeThoseOf = (namespace: string | undefined, service: string | undefined): void => {
        for (const { metadata, spec } of informers.of(apiservices).values())
          if (spec.service?.name === service && spec.service?.namespace === namespace) work.add(metadata.name);
      };
      const stops = [
        informers.listen(apiservices, ({ type, object, previous }) => {
          // What it has written itself is no reason to ask again.
          if (type !== 'updated' || !equal(previous.spec, object.spec) || !isTold(object)) work.add(keyOf(object));
        }),
        informers.listen(services, ({ object: { metadata } }) => wakeThoseOf(metadata.namespace, metadata.name)),
        informers.listen(endpointslices, ({ object: { metadata } }) =>
          wakeThoseOf(metadata.namespace, metadata.labels?.[serviceNameLabel] ?? ''),
        ),
      ];
      await work.run({ signal }).finally(() => {
        for (const stop of stops) stop();
      });
    },
  };
}

const serviceNameLabel = 'kubernetes.io/service-name';

function isTold({ status }: APIService): boolean {
  return status?.conditions?.some(({ type }) => type === 'Available') === true;
}
