import { expect, test } from 'vitest';
import { priorityclasses } from '../../api/generated/kinds.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { builtinPriorityClasses } from '../../resources/scheduling/priorityclass.ts';
import { createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';

const start = (withoutAdmission: readonly string[] = []): Promise<TestServer> =>
  createTestServer({ definitions: builtinDefinitions, withoutAdmission });
const ofDefault = (name: string, globalDefault = true): object => ({ metadata: { name }, value: 1, globalDefault });
const taken = (name: string): object => ({
  code: 403,
  message: `priorityclasses.scheduling.k8s.io "${name}" is forbidden: PriorityClass a is already marked as default. Only one default can exist`,
});

test('one class is the default, until it lets go', async () => {
  const server = await start();
  await server.create(priorityclasses, ofDefault('a'));
  expect(await refusalOf(server.create(priorityclasses, ofDefault('b')))).toMatchObject(taken('b'));
  await server.create(priorityclasses, ofDefault('b', false));
  const become = (): Promise<unknown> => server.merge(priorityclasses, 'b', { body: { globalDefault: true } });
  expect(await refusalOf(become())).toMatchObject(taken('b'));
  // The default itself may be changed.
  await server.merge(priorityclasses, 'a', { body: { description: 'x' } });
  await server.merge(priorityclasses, 'a', { body: { globalDefault: false } });
  await become();
});

test('where the rule is left out there may be two', async () => {
  const server = await start(['Priority']);
  for (const name of ['a', 'b']) await server.create(priorityclasses, ofDefault(name));
});

test('classes of the system stay', async () => {
  const server = await start(['Priority']);
  for (const { metadata, value } of builtinPriorityClasses) {
    const { name } = metadata;
    if (name === undefined) throw new Error('a class has a name');
    if ((await server.get(priorityclasses, name).catch(() => undefined)) === undefined)
      await server.create(priorityclasses, { metadata, value });
    expect(await refusalOf(server.delete(priorityclasses, name))).toMatchObject({
      code: 403,
      message: `priorityclasses.scheduling.k8s.io "${name}" is forbidden: this is a system priority class and cannot be deleted`,
    });
  }
});
