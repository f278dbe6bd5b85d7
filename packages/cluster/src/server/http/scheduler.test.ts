import { expect, test } from 'vitest';
import { administrator } from '../../api/system-identities.ts';
import { schedulerRoute } from './scheduler.ts';

async function shown(scheduler: Parameters<typeof schedulerRoute>[0]): Promise<unknown> {
  const { signal } = new AbortController();
  const { user } = administrator;
  const route = schedulerRoute(scheduler);
  const answer = await route.answer({ method: 'GET', below: [], query: new URLSearchParams(), user, signal });
  return answer.body.is === 'bytes' ? JSON.parse(answer.body.bytes.toString()) : undefined;
}

test('it tells by which rules pods get their nodes, and which of them are code', async () => {
  expect(await shown(undefined)).toEqual({ runs: false });
  expect(await shown({})).toEqual({ runs: true });
  const configuration = { profiles: [{ schedulerName: 'mine' }] };
  expect(await shown({ configuration, plugins: [{ name: 'Rack' }] })).toEqual({
    runs: true,
    configuration,
    ownPlugins: ['Rack'],
  });
});
