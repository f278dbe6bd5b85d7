import { beforeEach, expect, test } from 'vitest';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import { flowschemas, prioritylevelconfigurations } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { builtinLevels, builtinSchemas } from '../../resources/flowcontrol/builtin.ts';
import { flowschemaDefinition } from '../../resources/flowcontrol/flowschema.ts';
import { prioritylevelconfigurationDefinition } from '../../resources/flowcontrol/prioritylevelconfiguration.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { createTestServer, type TestServer } from '../../testing/api-server.ts';
import { planFlowObjects } from './flow-plan.ts';

const definitions = [
  flowschemaDefinition,
  prioritylevelconfigurationDefinition,
] as unknown as readonly ResourceDefinition[];
let plane: TestServer;

beforeEach(async () => {
  plane = await createTestServer({ definitions });
  await plane.server.writeFlowObjects();
});

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await plane.clock.advance(0);
};
const schemaOf = async (name: string): Promise<FlowSchema> => (await plane.get(flowschemas, name)) as FlowSchema;
const said = ({ status }: FlowSchema): unknown =>
  status.conditions?.map(({ type, status: is, reason }) => [type, is, reason]);

test('they hold before they are written', async () => {
  const { server } = await createTestServer({ definitions });
  expect(server.flows.schemas()).toHaveLength(builtinSchemas.length);
  expect(server.flows.levels()).toHaveLength(builtinLevels.length);
});

test('a start writes them, and a second one nothing', async () => {
  const list = await plane.list(flowschemas);
  expect(list.items.map(({ metadata }) => metadata.name)).toEqual(
    builtinSchemas.map(({ metadata }) => metadata.name).sort(),
  );
  const exempt = await schemaOf('exempt');
  expect(exempt.metadata).toMatchObject({
    generation: 1,
    annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' },
  });
  expect(exempt.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  expect(said(exempt)).toEqual([['Dangling', 'False', 'Found']]);
  const { revision } = plane.store;
  await plane.server.writeFlowObjects();
  expect(plane.store.revision).toBe(revision);
});

test('what is deleted comes back', async () => {
  const before = (await schemaOf('exempt')).metadata.uid;
  await plane.delete(flowschemas, 'exempt');
  await plane.delete(prioritylevelconfigurations, 'system');
  await settled();
  expect((await schemaOf('exempt')).metadata.uid).not.toBe(before);
  expect((await plane.get(prioritylevelconfigurations, 'system')).metadata.name).toBe('system');
});

test('what is suggested is put back, unless its owner says that it is theirs', async () => {
  const edited = async (annotation?: string): Promise<number | undefined> => {
    const system = (await plane.get(prioritylevelconfigurations, 'system')) as PriorityLevelConfiguration;
    const limited = { ...system.spec.limited, nominalConcurrencyShares: 77 };
    const annotations = annotation === undefined ? {} : { 'apf.kubernetes.io/autoupdate-spec': annotation };
    const metadata = { ...system.metadata, annotations: { ...system.metadata.annotations, ...annotations } };
    await plane.update(prioritylevelconfigurations, { ...system, metadata, spec: { ...system.spec, limited } });
    await settled();
    const { spec } = (await plane.get(prioritylevelconfigurations, 'system')) as PriorityLevelConfiguration;
    return spec.limited?.nominalConcurrencyShares;
  };
  expect(await edited()).toBe(30);
  expect(await edited('false')).toBe(77);
});

test('a schema says whether its level is there, from the moment that it comes or goes', async () => {
  const [builtin] = builtinSchemas;
  const body = {
    metadata: { name: 'mine' },
    spec: { ...builtin?.spec, matchingPrecedence: 50, priorityLevelConfiguration: { name: 'own' } },
  };
  await plane.create(flowschemas, body);
  await settled();
  expect(said(await schemaOf('mine'))).toEqual([['Dangling', 'True', 'NotFound']]);
  const [, , { spec }] = builtinLevels as unknown as readonly [unknown, unknown, PriorityLevelConfiguration];
  await plane.create(prioritylevelconfigurations, { metadata: { name: 'own' }, spec });
  await settled();
  expect(said(await schemaOf('mine'))).toEqual([['Dangling', 'False', 'Found']]);
  await plane.delete(prioritylevelconfigurations, 'own');
  await settled();
  const [condition] = (await schemaOf('mine')).status.conditions ?? [];
  expect(condition?.message).toBe(
    'This FlowSchema references the PriorityLevelConfiguration object named "own" but there is no such object',
  );
});

test.each([
  [flowschemas, 'catch-all', { matchingPrecedence: 9_999 }, "spec of 'catch-all' must equal the fixed value"],
  [prioritylevelconfigurations, 'catch-all', { limited: undefined }, "spec of 'catch-all' must equal the fixed value"],
  [
    ...[prioritylevelconfigurations, 'exempt', { type: 'Limited' }],
    "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value",
  ],
] as const)('nobody changes the mandatory ones', async (resource, name, part, message) => {
  const object = (await plane.get(resource as typeof flowschemas, name)) as KubeObject & { readonly spec: object };
  const next = { ...object, spec: { ...object.spec, ...part } };
  await expect(plane.update(resource as typeof flowschemas, next)).rejects.toThrow(message);
});

test('the shares of the exempt level are its owner’s', async () => {
  const level = (await plane.get(prioritylevelconfigurations, 'exempt')) as PriorityLevelConfiguration;
  await plane.update(prioritylevelconfigurations, {
    ...level,
    spec: { ...level.spec, exempt: { nominalConcurrencyShares: 3, lendablePercent: 0 } },
  });
  await settled();
  const { spec } = (await plane.get(prioritylevelconfigurations, 'exempt')) as PriorityLevelConfiguration;
  expect(spec.exempt?.nominalConcurrencyShares).toBe(3);
});

test('planning what was planned finds nothing', () => {
  const planned = planFlowObjects({ schemas: [], levels: [] }, '2026-01-01T00:00:00Z').map(({ object }) => object);
  expect(planned).toHaveLength(builtinSchemas.length + builtinLevels.length);
  const schemas = planned.filter(({ kind }) => kind === 'FlowSchema') as FlowSchema[];
  const levels = planned.filter(({ kind }) => kind !== 'FlowSchema') as PriorityLevelConfiguration[];
  expect(planFlowObjects({ schemas, levels }, '2027-01-01T00:00:00Z')).toEqual([]);
});
