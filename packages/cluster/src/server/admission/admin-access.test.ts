import { expect, test } from 'vitest';
import { namespaces, resourceclaims, resourceclaimtemplates } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import { namespaceDefinition } from '../../resources/core/namespace.ts';
import { resourceclaimDefinition } from '../../resources/resource/resourceclaim.ts';
import { resourceclaimtemplateDefinition } from '../../resources/resource/resourceclaimtemplate.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { createTestServer, refusalOf } from '../../testing/api-server.ts';

const definitions = [
  namespaceDefinition,
  resourceclaimDefinition,
  resourceclaimtemplateDefinition,
] as unknown as readonly ResourceDefinition[];
const wish = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', adminAccess: true } }] } };

test.each<[string, ResourceType, object]>([
  ['a claim', resourceclaims, wish],
  ['a template of claims', resourceclaimtemplates, { spec: wish }],
])('%s has an administrator’s access where its namespace says so', async (_, type, spec) => {
  const server = await createTestServer({ definitions });
  const labels = { 'resource.kubernetes.io/admin-access': 'true' };
  await server.create(namespaces, { metadata: { name: 'open', labels } });
  const metadata = { name: 'x' };
  await server.create(type, { metadata, spec }, { namespace: 'open' });
  const { code, details } = await refusalOf(server.create(type, { metadata, spec }, { namespace: 'default' }));
  expect(code).toBe(422);
  expect(details?.causes?.map(({ field }) => field)).toEqual(['spec.devices.requests[0].adminAccess']);
});
