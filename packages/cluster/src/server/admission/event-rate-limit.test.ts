import { describe, expect, test } from 'vitest';
import { events } from '../../api/generated/kinds.ts';
import type { User } from '../../api/operation.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { createTestServer, refusalOf, type TestServer } from '../../testing/api-server.ts';
import type { EventLimit } from './event-rate-limit.ts';

const start = (...eventLimits: readonly EventLimit[]): Promise<TestServer> =>
  createTestServer({ definitions: builtinDefinitions, furtherAdmission: ['EventRateLimit'], eventLimits });
const masters = (name: string): User => ({ name, groups: ['system:masters'] });

interface Written {
  readonly namespace?: string;
  readonly user?: User;
  readonly component?: string;
}

let count = 0;
function write(
  server: TestServer,
  { namespace = 'default', component = 'c', user = masters('ada') }: Written = {},
): Promise<unknown> {
  const object = {
    metadata: { name: `e${count++}`, namespace },
    involvedObject: { kind: 'Pod', name: 'p', namespace },
    source: { component },
    reason: 'Why',
    type: 'Normal',
  };
  return server.create(events, object, { namespace, user });
}

const why = async (work: Promise<unknown>): Promise<string> => {
  const { code, reason, message } = await refusalOf(work);
  return `${code} ${reason}: ${message}`;
};

describe('events', () => {
  test('beyond the burst are refused until time has passed', async () => {
    const server = await start({ type: 'Server', qps: 2, burst: 3 });
    for (const _ of [1, 2, 3]) await write(server);
    expect(await why(write(server))).toBe(
      '429 TooManyRequests: Too many requests: limit reached on type Server for key ',
    );
    await server.clock.advance(499);
    await refusalOf(write(server));
    await server.clock.advance(1);
    await write(server);
    await refusalOf(write(server));
    await server.clock.advance(3_600_000);
    for (const _ of [1, 2, 3]) await write(server);
    await refusalOf(write(server));
  });
  test('count by namespace, user or source, each for itself', async () => {
    const byNamespace = await start({ type: 'Namespace', qps: 1, burst: 1 });
    await write(byNamespace);
    await write(byNamespace, { namespace: 'kube-system' });
    expect(await why(write(byNamespace))).toContain('type Namespace for key default');
    const byUser = await start({ type: 'User', qps: 1, burst: 1 });
    await write(byUser);
    await write(byUser, { user: masters('eve') });
    expect(await why(write(byUser))).toContain('type User for key ada');
    const bySource = await start({ type: 'SourceAndObject', qps: 1, burst: 1 });
    await write(bySource);
    await write(bySource, { component: 'd' });
    expect(await why(write(bySource))).toContain('type SourceAndObject for key cPoddefaultp');
  });
  test('are refused by several limits at once in one sentence', async () => {
    const server = await start({ type: 'Server', qps: 1, burst: 1 }, { type: 'User', qps: 1, burst: 1 });
    await write(server);
    expect(await why(write(server))).toBe(
      '429 TooManyRequests: Too many requests: [limit reached on type Server for key , limit reached on type User for key ada]',
    );
  });
  test('of whoever was quiet longest are forgotten', async () => {
    const server = await start({ type: 'User', qps: 1, burst: 1, cacheSize: 2 });
    for (const name of ['a', 'b', 'c']) await write(server, { user: masters(name) });
    await write(server, { user: masters('a') });
    await refusalOf(write(server, { user: masters('c') }));
  });
});
