import type { ComponentStatus } from '../../api/generated/core-v1.ts';
import { resourceType } from '../../api/gvk.ts';
import { isOfControllerManager } from '../../api/system-identities.ts';
import { column, nameColumn } from '../../resources/columns.ts';
import { defaultSchedulerName } from '../../resources/core/pod/defaults.ts';
import { defineResource, type ResourceDefinition } from '../../resources/resource.ts';
import type { HealthCheck, ServedApi } from '../context/served-api.ts';
import type { MadeView } from '../context/views.ts';

export const componentstatusDefinition: ResourceDefinition<ComponentStatus> = defineResource(
  resourceType<ComponentStatus>({
    ...{ group: '', version: 'v1', resource: 'componentstatuses', kind: 'ComponentStatus', namespaced: false },
  }),
  {
    schema: 'io.k8s.api.core.v1.ComponentStatus',
    shortNames: ['cs'],
    traits: { verbs: ['get', 'list'], deprecated: true },
    columnsComplete: true,
    columns: [
      nameColumn(),
      column('Status', (object) => {
        const condition = healthy(object);
        return condition === undefined ? 'Unknown' : condition.status === 'True' ? 'Healthy' : 'Unhealthy';
      }),
      column('Message', (object) => healthy(object)?.message ?? ''),
      column('Error', (object) => healthy(object)?.error ?? ''),
    ],
  },
);

function healthy({ conditions }: ComponentStatus): NonNullable<ComponentStatus['conditions']>[number] | undefined {
  return conditions?.find(({ type }) => type === 'Healthy');
}

/**
 * How the programs of a control plane are, as old clients ask for it: of those that are parts of this process. What is said
 * is what `/livez` says of them.
 */
export function createComponentStatuses(checks: ServedApi['checks'] = () => []): MadeView {
  return {
    definition: componentstatusDefinition as unknown as ResourceDefinition,
    warning: 'v1 ComponentStatus is deprecated in v1.19+',
    make() {
      const all = checks('livez');
      const partsOf = (isOne: (part: string) => boolean): readonly HealthCheck[] =>
        all.filter(({ name }) => name.startsWith(partPrefix) && isOne(name.slice(partPrefix.length)));
      return [
        ...statusOf('controller-manager', partsOf(isOfControllerManager)),
        ...statusOf(
          'scheduler',
          partsOf((part) => part === defaultSchedulerName),
        ),
        ...statusOf(
          'etcd-0',
          all.filter(({ name }) => name === 'etcd'),
        ),
      ];
    },
  };
}

const partPrefix = 'component/';

/** Of a program that is not here nothing is known. */
function statusOf(name: string, checks: readonly HealthCheck[]): readonly ComponentStatus[] {
  if (checks.length === 0) return [];
  const failures = checks.flatMap((check) => (check.failure === undefined ? [] : [`${check.name}: ${check.failure}`]));
  const condition =
    failures.length === 0 ? { status: 'True', message: 'ok' } : { status: 'False', error: failures.join('; ') };
  return [
    {
      apiVersion: 'v1',
      kind: 'ComponentStatus',
      metadata: { name } as ComponentStatus['metadata'],
      conditions: [{ type: 'Healthy', ...condition }],
    },
  ];
}
