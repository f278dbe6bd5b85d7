import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server as NetServer } from 'node:net';
import { type Container, systemRandom } from '@signalbox/cluster';
import { createVirtualClock } from '@signalbox/cluster/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { createFakeInside } from '../../testing/fake-inside.ts';
import { type Asking, attempt } from './attempt.ts';
import { type ProbeState, unprobed, withResult } from './plan.ts';
import { probeContainer } from './prober.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listening(server: NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const container = { pod: 'u', name: 'main' };
const ask = async (asking: Asking, port = 1, inside = createFakeInside()): Promise<string> => {
  const asked = { container, host: '10.64.0.7', ports: [{ name: 'web', containerPort: port }] };
  // Of this attempt alone, as from a prober: what listens to it goes with it.
  const { signal } = new AbortController();
  const answer = await attempt(asking, asked, { inside, signal });
  return answer.success ? 'good' : answer.message;
};

describe('thresholds', () => {
  const verdicts = (results: string, terms: object): readonly (boolean | undefined)[] => {
    let state: ProbeState = unprobed;
    return results.split('').map((result) => {
      state = withResult(state, result === '+', terms);
      return state.verdict;
    });
  };
  test('of failures: three in a row, of successes: one', () => {
    expect(verdicts('--+---+', {})).toEqual([undefined, undefined, true, true, true, false, true]);
  });
  test('may be others', () => {
    expect(verdicts('++--+++', { successThreshold: 3, failureThreshold: 2 })).toEqual([
      undefined,
      undefined,
      undefined,
      false,
      false,
      false,
      true,
    ]);
  });
});

describe('asking by HTTP', () => {
  test.each<[number, string]>([
    [200, 'good'],
    [302, 'good'],
    [399, 'good'],
    [404, 'HTTP probe failed with statuscode: 404'],
    [500, 'HTTP probe failed with statuscode: 500'],
  ])('%d', async (code, expected) => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push([
        request.method,
        request.url,
        request.headers['host'],
        request.headers['x-own'],
        request.headers['user-agent'],
      ]);
      // A body that never ends must not be waited for.
      response.writeHead(code).write('…');
    });
    const port = await listening(server);
    closing.push(() => server.closeAllConnections());
    const httpGet = { path: '/ready?x=1', port: 'web', httpHeaders: [{ name: 'X-Own', value: '1' }] };
    expect(await ask({ httpGet }, port)).toBe(expected);
    expect(seen).toEqual([['GET', '/ready?x=1', `10.64.0.7:${port}`, '1', 'kube-probe/1.34']]);
  });
  test('a port that nobody named, one that nobody listens on', async () => {
    expect(await ask({ httpGet: { port: 'admin' } })).toBe('couldn\'t find port: "admin"');
    const gone = createTcpServer();
    const port = await listening(gone);
    await new Promise((resolve) => gone.close(resolve));
    expect(await ask({ httpGet: { port } })).toContain('ECONNREFUSED');
  });
});

test('asking by TCP is being connected', async () => {
  const port = await listening(createTcpServer());
  expect(await ask({ tcpSocket: { port } })).toBe('good');
});

test('asking by a command is its exit code; what it says is the reason', async () => {
  const inside = createFakeInside();
  expect(await ask({ exec: { command: ['cat', '/ready'] } }, 1, inside)).toBe('good');
  expect(inside.asked).toEqual(['exec main: cat /ready']);
  inside.answers(() => ({ output: 'cat: no such file\n', exitCode: 1 }));
  expect(await ask({ exec: { command: ['x'] } }, 1, inside)).toBe('cat: no such file');
  inside.answers(() => ({ output: '', exitCode: 3 }));
  expect(await ask({ exec: { command: ['x'] } }, 1, inside)).toBe('command terminated with exit code 3');
});

describe('asking by gRPC', () => {
  const serve = async (body: readonly number[], trailers: Record<string, string>): Promise<[number, Buffer[]]> => {
    const got: Buffer[] = [];
    const server = createHttp2Server();
    server.on('stream', (stream, headers) => {
      expect(headers[':path']).toBe('/grpc.health.v1.Health/Check');
      stream.on('data', (chunk: Buffer) => got.push(chunk));
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.on('end', () => stream.end(Buffer.from(body)));
    });
    return [await listening(server), got];
  };
  test.each<[string, readonly number[], Record<string, string>, string]>([
    ['serving', [0, 0, 0, 0, 2, 8, 1], { 'grpc-status': '0' }, 'good'],
    ['not serving', [0, 0, 0, 0, 2, 8, 2], { 'grpc-status': '0' }, 'service unhealthy (responded with "NOT_SERVING")'],
    ['unknown', [0, 0, 0, 0, 0], { 'grpc-status': '0' }, 'service unhealthy (responded with "UNKNOWN")'],
    [
      'nobody',
      [],
      { 'grpc-status': '12', 'grpc-message': 'unknown service' },
      'rpc error: code = 12 desc = unknown service',
    ],
  ])('%s', async (_, body, trailers, expected) => {
    const [port, got] = await serve(body, trailers);
    expect(await ask({ grpc: { port, service: 'db' } })).toBe(expected);
    expect([...Buffer.concat(got)]).toEqual([0, 0, 0, 0, 4, 0x0a, 2, 100, 98]);
  });
});

test('a container is asked whether it has started, then whether it is ready and alive', async () => {
  const clock = createVirtualClock();
  const inside = createFakeInside();
  let healthy = false;
  inside.answers(() => ({ output: healthy ? '' : 'no', exitCode: healthy ? 0 : 1 }));
  const ending = new AbortController();
  const told: string[] = [];
  const exec = { command: ['check'] };
  const probed = {
    name: 'main',
    startupProbe: { exec, periodSeconds: 1, failureThreshold: 30 },
    readinessProbe: { exec, periodSeconds: 5 },
    livenessProbe: { exec, periodSeconds: 10, failureThreshold: 2 },
  } as unknown as Container;
  const probing = probeContainer(
    probed,
    { container, host: 'h', ports: [] },
    {
      clock,
      random: systemRandom(),
      inside,
      signal: ending.signal,
      verdict: (kind, holds) => told.push(`${kind} ${holds}`),
      failed: (kind, message) => told.push(`${kind}: ${message}`),
    },
  );
  probing.catch(() => undefined);
  await clock.advance(2_000);
  expect(told.splice(0)).toEqual(Array(3).fill('startup: no'));
  healthy = true;
  await clock.advance(1_000);
  expect(told.splice(0)).toEqual(['startup true', 'readiness true']);
  await clock.advance(30_000);
  expect(told.splice(0)).toEqual(['liveness true']);
  healthy = false;
  await clock.advance(25_000);
  expect(told.filter((line) => !line.includes(':')).toSorted()).toEqual(['liveness false', 'readiness false']);
  ending.abort(new Error('it ended'));
  await expect(probing).rejects.toThrow('it ended');
});
