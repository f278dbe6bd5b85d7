import { expect, test } from 'vitest';
import { deviceclasses, resourceclaims, resourceclaimtemplates } from '../../api/generated/kinds.ts';
import type { ResourceType } from '../../api/gvk.ts';
import { deviceclassDefinition } from '../../resources/resource/deviceclass.ts';
import { resourceclaimDefinition } from '../../resources/resource/resourceclaim.ts';
import { resourceclaimtemplateDefinition } from '../../resources/resource/resourceclaimtemplate.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { createTestServer, refusalOf } from '../../testing/api-server.ts';

const definitions = [
  deviceclassDefinition,
  resourceclaimDefinition,
  resourceclaimtemplateDefinition,
] as unknown as readonly ResourceDefinition[];

const selectors = (...expressions: readonly string[]): readonly object[] =>
  expressions.map((expression) => ({ cel: { expression } }));
const claim = (request: object): object => ({ devices: { requests: [{ name: 'r', ...request }] } });
const deviceClassName = 'c';

test.each<[string, ResourceType, object, readonly string[]]>([
  ['a class', deviceclasses, { selectors: selectors('true', '1', 'x') }, ['selectors[1]', 'selectors[2]']],
  [
    'a claim',
    resourceclaims,
    claim({ exactly: { deviceClassName, selectors: selectors('true', '1') } }),
    ['devices.requests[0].exactly.selectors[1]'],
  ],
  [
    'a choice of a claim',
    resourceclaims,
    claim({ firstAvailable: [{ name: 's', deviceClassName, selectors: selectors('1') }] }),
    ['devices.requests[0].firstAvailable[0].selectors[0]'],
  ],
  [
    'a template',
    resourceclaimtemplates,
    { spec: claim({ exactly: { deviceClassName, selectors: selectors('1') } }) },
    ['spec.devices.requests[0].exactly.selectors[0]'],
  ],
])('%s with mistakes is refused', async (_, type, spec, places) => {
  const server = await createTestServer({ definitions });
  const at = type.namespaced ? { namespace: 'default' } : {};
  const { code, details } = await refusalOf(server.create(type, { metadata: { name: 'x' }, spec }, at));
  expect(code).toBe(422);
  expect(details?.causes?.map(({ field }) => field)).toEqual(places.map((place) => `spec.${place}.cel.expression`));
});

test('a change of a class is looked at where it changes the selectors', async () => {
  const server = await createTestServer({ definitions });
  const metadata = { name: 'x' };
  await server.create(deviceclasses, { metadata, spec: { selectors: selectors('true') } });
  await server.update(deviceclasses, { metadata, spec: { selectors: selectors('device.driver == "x"') } });
  const refused = server.update(deviceclasses, { metadata, spec: { selectors: selectors('device.x') } });
  expect((await refusalOf(refused)).message).toContain("undefined field 'x'");
});
