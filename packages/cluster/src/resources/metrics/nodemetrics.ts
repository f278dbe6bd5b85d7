import { type NodeMetrics, nodemetrics } from '../../api/metrics.ts';
import { column, nameColumn } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { measuredVerbs, timeSchemas, usageSchema } from './measured.ts';

export const nodemetricsDefinition: ResourceDefinition<NodeMetrics> = defineResource(nodemetrics, {
  schema: { type: 'object', properties: { ...timeSchemas, usage: usageSchema } },
  singular: '',
  traits: { verbs: measuredVerbs },
  columns: [
    nameColumn(),
    column('cpu', ({ usage }) => usage.cpu),
    column('memory', ({ usage }) => usage.memory),
    column('Window', ({ window }) => window),
  ],
  columnsComplete: true,
});
