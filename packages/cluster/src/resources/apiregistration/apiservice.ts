import { type APIService, type APIServiceCondition, apiServiceName, apiservices } from '../../api/apiservices.ts';
import { conditionOf } from '../../api/conditions.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { dnsLabel1035, dnsSubdomain, pathSegmentName } from '../validation/names.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const integer = { type: 'integer', format: 'int32' };
const conditionSchema: Schema = {
  type: 'object',
  properties: {
    ...{ type: text, status: text, reason: text, message: text },
    lastTransitionTime: { ...text, format: 'date-time' },
  },
  required: ['type', 'status'],
};
const schema: Schema = {
  description: 'An APIService says which server answers for a group and version of the API.',
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        ...{ group: text, version: text, caBundle: { ...text, format: 'byte' } },
        service: { type: 'object', properties: { namespace: text, name: text, port: integer } },
        insecureSkipTLSVerify: { type: 'boolean' },
        ...{ groupPriorityMinimum: integer, versionPriority: integer },
      },
      required: ['groupPriorityMinimum', 'versionPriority'],
    },
    status: {
      type: 'object',
      properties: {
        conditions: {
          ...{ type: 'array', items: conditionSchema },
          ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
        },
      },
    },
  },
};

const portDefault = 443;

/** What is said of every group and version that this server answers for itself. */
export const locallyAvailable: APIServiceCondition = {
  ...{ type: 'Available', status: 'True', reason: 'Local' },
  message: 'Local APIServices are always available',
};

export const apiserviceDefinition: ResourceDefinition<APIService> = defineResource(apiservices, {
  schema,
  categories: ['api-extensions'],
  hasStatus: true,
  statusKeeps: 'metadata',
  traits: { updatesUnconditionally: false, qualifiesFinalizers: false },
  columns: [column('Service', serviceText), column('Available', availableText)],
  defaults(given) {
    const object = withoutNulls(given);
    const { service } = object.spec ?? {};
    return service === undefined || service.port !== undefined
      ? object
      : { ...object, spec: { ...object.spec, service: { ...service, port: portDefault } } };
  },
  // Whether it is available is found out.
  prepareForCreate: (object) => ({ ...object, status: {} }),
  validate,
  *validateName(name, at) {
    yield* pathSegmentName(name, at);
  },
  *validateStatusUpdate({ status }, _current, at) {
    const known = ['False', 'True', 'Unknown'];
    for (const [index, condition] of (status?.conditions ?? []).entries())
      if (!known.includes(condition.status))
        yield at('status', 'conditions', index, 'status').notSupported(condition.status, known);
  },
});

/** A null is a field that nobody gave, as in all built-in kinds. The very same object where there is none. */
function withoutNulls(object: APIService): APIService {
  const spec = said(object.spec);
  const service = said(spec?.service);
  if (service !== spec?.service) return { ...object, spec: { ...spec, service } as APIService['spec'] };
  return spec === object.spec ? object : { ...object, spec: spec as APIService['spec'] };
}

function said<T extends object>(part: T | undefined): T | undefined {
  if (part === undefined || !Object.values(part).includes(null)) return part;
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null)) as T;
}

function* validate({ metadata, spec: sent }: APIService, root: FieldPath): Iterable<Issue> {
  const at = root('spec');
  const spec: Partial<APIService['spec']> = sent ?? {};
  const { group = '', version = '', service, caBundle = '', insecureSkipTLSVerify = false } = spec;
  const name = apiServiceName({ group, version });
  const must = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`;
  const { generateName = '' } = metadata;
  if (generateName !== '' && generateName !== name) yield root('metadata', 'generateName').invalid(generateName, must);
  if ((metadata.name ?? '') !== '' && metadata.name !== name)
    yield root('metadata', 'name').invalid(metadata.name, must);
  if (group !== '') yield* dnsSubdomain(group, at('group'));
  else if (version !== 'v1') yield at('group').required('only v1 may have an empty group and it better be legacy kube');
  yield* dnsLabel1035(version, at('version'));
  yield* priorityIssues(spec.groupPriorityMinimum, { at: at('groupPriorityMinimum'), most: 20_000 });
  yield* priorityIssues(spec.versionPriority, { at: at('versionPriority'), most: 1_000 });
  if (service === undefined) {
    if (caBundle !== '')
      yield at('caBundle').invalid(
        `${Buffer.from(caBundle, 'base64').length} bytes`,
        'local APIServices may not have a caBundle',
      );
    if (insecureSkipTLSVerify)
      yield at('insecureSkipTLSVerify').invalid(true, 'local APIServices may not have insecureSkipTLSVerify');
    return;
  }
  if ((service.namespace ?? '') === '') yield at('service', 'namespace').required();
  if ((service.name ?? '') === '') yield at('service', 'name').required();
  const { port = portDefault } = service;
  if (port < 1 || port > 65_535)
    yield at('service', 'port').invalid(port, 'port is not valid: must be between 1 and 65535, inclusive');
  if (insecureSkipTLSVerify && caBundle !== '')
    yield at('insecureSkipTLSVerify').invalid(true, 'may not be true if caBundle is present');
}

function* priorityIssues(
  value: number | undefined,
  { at, most }: { readonly at: FieldPath; readonly most: number },
): Iterable<Issue> {
  if ((value ?? 0) <= 0 || (value ?? 0) > most) yield at.invalid(value ?? 0, `must be positive and less than ${most}`);
}

function serviceText({ spec: { service } }: APIService): string {
  return service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`;
}

function availableText({ status }: APIService): string {
  const condition = conditionOf(status?.conditions, 'Available');
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' ? 'True' : `${condition.status} (${condition.reason ?? ''})`;
}
