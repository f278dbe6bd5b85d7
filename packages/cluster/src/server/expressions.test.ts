import { expect, test } from 'vitest';
import { customresourcedefinitions } from '../api/generated/kinds.ts';
import type { StatusError } from '../api/status.ts';
import { createTestServer } from '../testing/api-server.ts';
import { crdBody, version } from '../testing/resources/crd-bodies.ts';

const bad = version('v1', {
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self ==' }] } },
    },
  },
});
const worse = version('v1', {
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self !=' }] } },
    },
  },
});

test('rules are judged without anybody having loaded their language', async () => {
  const server = await createTestServer();
  const refused = server.create(customresourcedefinitions, crdBody({ versions: [bad] }));
  await expect(refused).rejects.toThrow('compilation failed');
});

test('definitions that are known to be good are taken as they are, and no others', async () => {
  const known = crdBody({ versions: [bad] });
  const server = await createTestServer({ soundDefinitions: [known as never] });
  await server.create(customresourcedefinitions, known);
  const changed = server.merge(customresourcedefinitions, (known as { metadata: { name: string } }).metadata.name, {
    body: { spec: { versions: [worse] } },
  });
  await expect(changed).rejects.toSatisfy((error) => (error as StatusError).status.code === 422);
});
