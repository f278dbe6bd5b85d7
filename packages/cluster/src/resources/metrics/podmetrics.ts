import { type PodMetrics, podmetrics, type ResourceUsage } from '../../api/metrics.ts';
import { column, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { measuredVerbs, sumOf, timeSchemas, usageSchema } from './measured.ts';

const container = { type: 'object', properties: { name: { type: 'string' }, usage: usageSchema } };

export const podmetricsDefinition: ResourceDefinition<PodMetrics> = defineResource(podmetrics, {
  schema: { type: 'object', properties: { ...timeSchemas, containers: { type: 'array', items: container } } },
  singular: '',
  traits: { verbs: measuredVerbs },
  columns: [
    nameColumn(),
    column('cpu', (pod) => sumOf(usagesOf(pod), 'cpu')),
    column('memory', (pod) => sumOf(usagesOf(pod), 'memory')),
    column('Window', ({ window }) => window),
  ],
  columnsComplete: true,
});

function usagesOf({ containers }: PodMetrics): readonly ResourceUsage[] {
  return containers.map(({ usage }) => usage);
}
