import { type APIService, type APIServiceCondition, apiservices } from '../../api/apiservices.ts';
import { mergeConditions } from '../../api/conditions.ts';
import type { Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { toTimestamp } from '../../base/clock.ts';
import { locallyAvailable } from '../../resources/apiregistration/apiservice.ts';
import { nothingToDo, type Plan } from '../../runtime/plan.ts';
import { statusIfChanged } from '../../workloads/actions.ts';

export interface Observed {
  readonly apiService: APIService;
  readonly service: Service | undefined;
  /** Of the service. */
  readonly slices: readonly EndpointSlice[];
}

/** What stands in the way before anybody is asked. */
export type Obstacle = Pick<APIServiceCondition, 'reason' | 'message'>;

/** Undefined: the service leads somewhere, and whoever is there can be asked. */
export function obstacle({ apiService, service, slices }: Observed): Obstacle | undefined {
  const { namespace = '', name = '', port } = apiService.spec.service ?? {};
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  if (service === undefined) return { reason: 'ServiceNotFound', message: `${where} is not present` };
  if ((service.spec.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const listening = service.spec.ports?.find((each) => each.port === port);
  if (listening === undefined)
    return { reason: 'ServicePortError', message: `${where} is not listening on port ${port}` };
  if (slices.length === 0) return { reason: 'EndpointsNotFound', message: `cannot find endpointslices for ${where}` };
  const { name: portName = '' } = listening;
  if (!slices.some((slice) => leadsTo(slice, portName)))
    return {
      reason: 'MissingEndpoints',
      message: `endpointslices for ${where} have no addresses with port name ${JSON.stringify(portName)}`,
    };
  return undefined;
}

function leadsTo({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  return (
    endpoints.some(({ conditions }) => conditions?.ready !== false) &&
    ports?.some(({ name = '', port }) => name === portName && port !== undefined) === true
  );
}

/** What is known once somebody was asked, or nobody could be. */
export type Finding =
  | { readonly is: 'local' }
  | { readonly is: 'obstructed'; readonly obstacle: Obstacle }
  | { readonly is: 'asked'; readonly failure: string | undefined };

/** Whoever answers may stop, and nothing tells of it. */
const againMs = 30_000;
/** Whoever does not may begin. */
const retryMs = 5_000;

export function plan(apiService: APIService, finding: Finding, nowMs: number): Plan {
  const { metadata, status } = apiService;
  if (metadata.deletionTimestamp !== undefined) return nothingToDo;
  const conditions = mergeConditions(status?.conditions, [conditionOf(finding)], toTimestamp(nowMs));
  const actions = statusIfChanged(apiservices, { object: apiService, status: { ...status, conditions } });
  if (finding.is !== 'asked') return { actions };
  return { actions, againInMs: finding.failure === undefined ? againMs : retryMs };
}

function conditionOf(finding: Finding): APIServiceCondition {
  const available = { type: 'Available', status: 'True' };
  switch (finding.is) {
    case 'local':
      return locallyAvailable;
    case 'obstructed':
      return { ...available, status: 'False', ...finding.obstacle };
    case 'asked':
      return finding.failure === undefined
        ? { ...available, reason: 'Passed', message: 'all checks passed' }
        : { ...available, status: 'False', reason: 'FailedDiscoveryCheck', message: finding.failure };
    default:
      return finding satisfies never;
  }
}
