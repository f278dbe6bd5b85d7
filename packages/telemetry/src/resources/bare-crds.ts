import type { CustomResourceDefinition, New } from '@signalbox/cluster';
import { crdJson } from './generated/crds.ts';

/** Kinds that nothing here acts on: to take them in and do nothing would be worse than to refuse them. */
const unhandled: ReadonlySet<string> = new Set([
  'alertmanagerconfigs.monitoring.coreos.com',
  'alertmanagers.monitoring.coreos.com',
  'thanosrulers.monitoring.coreos.com',
]);

/**
 * The definitions of all custom resources that the operator reads, as upstream publishes them, with three additions: the kinds of
 * `monitoring.grafana.com`, which have no status upstream, get a status door and printer columns; what runs in shards
 * tells how many; and the status of monitors holds conditions beside bindings. No field says what it means. Parsed on
 * first use, since they are half a megabyte of text that a plain `render` does not need.
 */
export function bareDefinitions(): readonly New<CustomResourceDefinition>[] {
  parsed ??= parseDefinitions();
  return parsed;
}

let parsed: readonly New<CustomResourceDefinition>[] | undefined;

/** Their names in order, which take no parsing. */
export function definitionNames(): readonly string[] {
  return Object.keys(crdJson)
    .filter((name) => !unhandled.has(name))
    .sort();
}

/** The definitions, kept by nobody. */
export function parseDefinitions(): readonly New<CustomResourceDefinition>[] {
  return definitionNames().map((name) =>
    withAdditions(JSON.parse(crdJson[name] ?? '') as New<CustomResourceDefinition>),
  );
}

type Version = CustomResourceDefinition['spec']['versions'][number];
type PrinterColumn = NonNullable<Version['additionalPrinterColumns']>[number];

function withAdditions(definition: New<CustomResourceDefinition>): New<CustomResourceDefinition> {
  const { spec } = definition;
  if (spec.group === 'monitoring.grafana.com') {
    const columns = columnsByKind[spec.names.kind] ?? [];
    return withVersions(definition, (version) => extended(version, columns));
  }
  if (monitorKinds.has(spec.names.kind)) return withVersions(definition, withConditions);
  return spec.versions.some(runsInShards) ? withVersions(definition, withShards) : definition;
}

function withVersions(
  definition: New<CustomResourceDefinition>,
  change: (version: Version) => Version,
): New<CustomResourceDefinition> {
  const { spec } = definition;
  return { ...definition, spec: { ...spec, versions: spec.versions.map(change) } };
}

type Schema = NonNullable<NonNullable<Version['schema']>['openAPIV3Schema']>;

function statusSchemaOf({ schema }: Version): Schema | undefined {
  return schema?.openAPIV3Schema?.properties?.['status'] as Schema | undefined;
}

const monitorKinds: ReadonlySet<string> = new Set(['PodMonitor', 'Probe', 'ScrapeConfig', 'ServiceMonitor']);

/** A binding needs somebody who binds: that nobody does has no place in it, nor have roots of the Grafana Agent. */
function withConditions(version: Version): Version {
  const schema = version.schema?.openAPIV3Schema;
  const status = statusSchemaOf(version);
  const { conditions } = statusSchema.properties;
  const extended = { ...status, properties: { ...status?.properties, conditions } };
  return {
    ...version,
    schema: { openAPIV3Schema: { ...schema, properties: { ...schema?.properties, status: extended } } },
  };
}

function runsInShards({ subresources }: Version): boolean {
  return subresources?.scale?.statusReplicasPath === shardsColumn.jsonPath;
}

/** The wanted replicas are those of one shard, the ready ones those of all: between them stands how many there are. */
function withShards(version: Version): Version {
  const columns = version.additionalPrinterColumns ?? [];
  const index = columns.findIndex(({ name }) => name === 'Ready');
  return { ...version, additionalPrinterColumns: columns.toSpliced(index, 0, shardsColumn) };
}

const shardsColumn: PrinterColumn = { name: 'Shards', type: 'integer', jsonPath: '.status.shards' };

function extended(version: Version, columns: readonly PrinterColumn[]): Version {
  const schema = version.schema?.openAPIV3Schema;
  return {
    ...version,
    schema: {
      openAPIV3Schema: { ...schema, properties: { ...schema?.properties, status: statusSchema } },
    },
    subresources: { ...version.subresources, status: {} },
    additionalPrinterColumns: [...columns, ageColumn],
  };
}

const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

const columnsByKind: Readonly<Record<string, readonly PrinterColumn[]>> = {
  GrafanaAgent: [
    { name: 'Metrics', type: 'integer', jsonPath: '.status.metricsInstances' },
    { name: 'Logs', type: 'integer', jsonPath: '.status.logsInstances' },
    { name: 'Monitors', type: 'integer', jsonPath: '.status.monitors' },
    { name: 'Reconciled', type: 'string', jsonPath: '.status.conditions[?(@.type == "Reconciled")].status' },
    { name: 'Available', type: 'string', jsonPath: '.status.conditions[?(@.type == "Available")].status' },
  ],
};

const text = { type: 'string' } as const;
const count = { type: 'integer', format: 'int64' } as const;

const statusSchema = {
  type: 'object',
  properties: {
    observedGeneration: count,
    metricsInstances: count,
    logsInstances: count,
    integrations: count,
    monitors: count,
    conditions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
        properties: {
          type: text,
          status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
          reason: text,
          message: text,
          observedGeneration: count,
          lastTransitionTime: { type: 'string', format: 'date-time' },
        },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
} as const;
