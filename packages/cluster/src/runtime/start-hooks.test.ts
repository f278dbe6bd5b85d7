import { expect, test } from 'vitest';
import { afterBootstrap, createStartHooks, type StartHooks } from './start-hooks.ts';

const failing = (hooks: StartHooks): readonly string[] =>
  hooks.checks().flatMap(({ name, failure }) => (failure === undefined ? [] : [`${name}: ${failure}`]));

test('what a start waits for fails until it is done; what holds before it is written does not', async () => {
  const hooks = createStartHooks();
  expect(failing(hooks)).toEqual(afterBootstrap.map((name) => `poststarthook/${name}: not finished`));
  expect(hooks.checks().map(({ name }) => name)).toContain('poststarthook/rbac/bootstrap-roles');
  expect(await hooks.run(afterBootstrap, Promise.resolve(7))).toBe(7);
  expect(failing(hooks)).toEqual([]);
});

test('what cannot be done says why, and is well again once it is', async () => {
  const hooks = createStartHooks();
  await hooks.run(afterBootstrap, Promise.resolve());
  const roles = hooks.run(['rbac/bootstrap-roles'], Promise.reject(new Error('the disk is full')));
  await expect(roles).rejects.toThrow('the disk is full');
  expect(failing(hooks)).toEqual(['poststarthook/rbac/bootstrap-roles: the disk is full']);
  await hooks.run(['rbac/bootstrap-roles'], Promise.resolve());
  expect(failing(hooks)).toEqual([]);
});
