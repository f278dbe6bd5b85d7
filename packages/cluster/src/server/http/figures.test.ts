import { beforeEach, expect, test } from 'vitest';
import { configmaps } from '../../api/generated/kinds.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { admin, configMap, createTestServer, type TestServer } from '../../testing/api-server.ts';
import type { Answer } from './codec/answer.ts';
import { createRequestFigures, type RequestFigures } from './figures.ts';
import { createHandler } from './handler.ts';
import { healthRoutes } from './health.ts';
import { listenLimits } from './listen.ts';
import { metricsRoute, metricsText } from './metrics.ts';

let plane: TestServer;
let figures: RequestFigures;
let ask: (method: string, target: string, body?: object) => Promise<Answer>;

const core = '/api/v1/namespaces/default/configmaps';

beforeEach(async () => {
  plane = await createTestServer({ definitions: builtinDefinitions });
  await plane.create(configmaps, configMap('a'));
  figures = createRequestFigures({ clock: plane.clock, api: plane.server });
  const handle = createHandler({
    routes: healthRoutes({ api: plane.server }),
    api: plane.server,
    clock: plane.clock,
    limits: { ...listenLimits, requestTimeoutMs: 10_000 },
    figures,
    report: ({ error }) => {
      throw error;
    },
  });
  ask = (method, target, body) =>
    handle({
      head: { method, target, headers: { 'content-type': 'application/json' } },
      fault: undefined,
      authenticate: () => ({ is: 'user', user: admin }),
      body: async () => Buffer.from(JSON.stringify(body)),
      upgrades: false,
      connection: handle,
      signal: new AbortController().signal,
    });
});

function lines(start: string): readonly string[] {
  return figures
    .text()
    .split('\n')
    .filter((line) => line.startsWith(start));
}

const about = (resource: string, scope: string, verb: string): string =>
  `component="apiserver",dry_run="",group="",resource="${resource}",scope="${scope}",subresource="",verb="${verb}",version="v1"`;

test('requests are counted by what they are about and how they were answered', async () => {
  await ask('GET', `${core}/a`);
  await ask('GET', `${core}/secret-name`);
  await ask('GET', core);
  await ask('POST', core, { metadata: { name: 'b' } });
  await ask('POST', `${core}?dryRun=All`, { metadata: { name: 'c' } });
  await ask('GET', '/livez');
  expect(lines('apiserver_request_total')).toEqual([
    `apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/livez",verb="GET",version=""} 1`,
    `apiserver_request_total{code="200",${about('configmaps', 'namespace', 'LIST')}} 1`,
    `apiserver_request_total{code="200",${about('configmaps', 'resource', 'GET')}} 1`,
    `apiserver_request_total{code="404",${about('configmaps', 'resource', 'GET')}} 1`,
    `apiserver_request_total{code="201",${about('configmaps', 'resource', 'POST')}} 1`,
    `apiserver_request_total{code="201",${about('configmaps', 'resource', 'POST').replace('dry_run=""', 'dry_run="All"')}} 1`,
  ]);
  expect(lines('apiserver_request_duration_seconds_count')).toHaveLength(5);
  expect(lines('apiserver_current_inflight_requests')).toEqual([
    'apiserver_current_inflight_requests{request_kind="readOnly"} 0',
    'apiserver_current_inflight_requests{request_kind="mutating"} 0',
  ]);
});

test('what clients make up is no label: names, paths, resources that nobody serves', async () => {
  for (const target of [
    '/api/v1/namespaces/hidden-namespace/nothings/hidden',
    '/apis/made.up/v1/things',
    '/made-up-path',
  ])
    await ask('GET', target);
  await ask('BREW', core);
  expect(figures.text()).not.toMatch(/hidden|nothings|made|BREW/);
});

test('a watch is counted while it goes on, and is no duration', async () => {
  const { body } = await ask('GET', `${core}?watch=1`);
  const iterator = body.is === 'stream' ? body.pieces[Symbol.asyncIterator]() : undefined;
  await iterator?.next();
  const { length } = lines('apiserver_longrunning_requests');
  expect(lines('apiserver_longrunning_requests')[0]).toContain(`verb="WATCH",version="v1"} 1`);
  await iterator?.return?.();
  expect([length, lines('apiserver_longrunning_requests').length]).toEqual([1, 0]);
  expect(lines('apiserver_request_duration_seconds_count')).toEqual([]);
});

test('durations lie in upstream’s buckets, each with all that were faster', async () => {
  await ask('GET', `${core}/a`);
  const found = lines('apiserver_request_duration_seconds_bucket');
  expect(found).toHaveLength(24);
  expect(found.every((line) => line.endsWith('} 1'))).toBe(true);
});

test('the page also has what is stored and what the process takes', () => {
  const page = metricsText({
    figures,
    flowControl: { text: () => '' },
    plane: () => 'workqueue_depth{name="job"} 1\n',
    storedObjects: plane.server.storedObjects,
    eventsGivenUp: () => 7,
    process: () => ({ cpuSeconds: 1.5, residentBytes: 1024, startSeconds: 100 }),
    version: 'v1.34.2',
  });
  expect(page).toContain('apiserver_storage_objects{resource="configmaps"} 1\n');
  expect(page).toContain('apiserver_storage_objects{resource="deployments.apps"} 0\n');
  expect(page).toContain('kubernetes_build_info{git_version="v1.34.2",major="1",minor="34"} 1\n');
  expect(page).toContain('process_cpu_seconds_total 1.5\n');
  expect(page).toContain('signalbox_events_given_up_total 7\n');
  const names = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(metricsRoute).toBeDefined();
});
