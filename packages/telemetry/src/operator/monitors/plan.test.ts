import { expect, test } from 'vitest';
import { grafanaagents } from '../../resources/grafana-agent.ts';
import { podmonitors } from '../../resources/pod-monitor.ts';
import { prometheuses } from '../../resources/prometheus.ts';
import { objectsOf } from '../../testing/world.ts';
import type { Told } from './ledger.ts';
import { type MonitorMemory, type ObservedMonitor, planMonitor } from './plan.ts';

const monitorWith = (status = '{}') => {
  const [monitor] = objectsOf(
    `{ apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: { name: web, namespace: shop }, spec: {}, status: ${status} }`,
  );
  if (monitor === undefined) throw new Error('there is one');
  return monitor;
};
const looks = { isHomeOnly: false, isElsewhere: false };
const prometheus: Told = { rootType: prometheuses, namespace: 'm', name: 'main', refusal: '', looks };
const agent: Told = { rootType: grafanaagents, namespace: 'm', name: 'agent', refusal: '', looks };
const base: ObservedMonitor = {
  type: podmonitors,
  monitor: monitorWith(),
  told: [],
  reaches: [],
  isComplete: true,
  isOursAlone: true,
  isRootless: false,
  door: { hasBindings: true, hasConditions: true },
  isForeign: ({ name }) => name === 'foreign',
};

interface Said {
  readonly bindings?: readonly {
    readonly name: string;
    readonly conditions?: readonly { readonly status: string; readonly message: string }[];
  }[];
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
}

function run(observed: Partial<ObservedMonitor>, nowMs = 0, memory?: MonitorMemory) {
  const { actions, againInMs, memory: next } = planMonitor({ ...base, ...observed }, { nowMs, memory });
  const lines = actions.map((action) => {
    if (action.do === 'emit') return `event ${action.reason}`;
    if (action.do !== 'setStatus') return action.do;
    const { bindings = [], conditions = [] } = (action.object as { readonly status?: Said }).status ?? {};
    return [
      ...bindings.map(
        ({ name, conditions: [fact] = [] }) =>
          `${name} ${fact?.status ?? '?'}${fact?.message ? `: ${fact.message}` : ''}`,
      ),
      ...conditions.map(({ type, status, message }) => `${type}=${status}${status === 'True' ? ` ${message}` : ''}`),
    ].join(', ');
  });
  return { lines, againInMs, memory: next, actions };
}

test('who has taken it is bound, and what no binding can name is a condition', () => {
  expect(run({ told: [agent, prometheus] }).lines).toEqual([
    'main True, Selected=True GrafanaAgent m/agent, Prometheus m/main',
  ]);
});

test('who leaves it out says why', () => {
  expect(run({ told: [{ ...prometheus, refusal: 'spec: no' }] }).lines).toEqual([
    'main False: spec: no, Selected=True Prometheus m/main leaves it out',
  ]);
});

test('what stands is not written again', () => {
  const [action] = run({ told: [prometheus] }).actions;
  if (action?.do !== 'setStatus') throw new Error('it is written once');
  expect(run({ told: [prometheus], monitor: action.object }, 60_000).lines).toEqual([]);
});

test('nobody is given half a minute, then the owner is told, once', () => {
  const first = run({});
  expect(first).toMatchObject({ lines: [], againInMs: 30_000 });
  const second = run({}, 30_000, first.memory);
  expect(second.lines).toEqual(['Selected=False', 'event NotSelected']);
  const status = second.actions[0];
  const monitor = status?.do === 'setStatus' ? status.object : base.monitor;
  expect(run({ monitor }, 31_000, second.memory).lines).toEqual([]);
  // By the next operator neither.
  const restarted = run({ monitor }, 90_000);
  expect(run({ monitor }, 120_000, restarted.memory).lines).toEqual([]);
  expect(run({ monitor, told: [agent] }, 130_000, second.memory).lines).toEqual(['Selected=True GrafanaAgent m/agent']);
});

test.each<[string, Partial<ObservedMonitor>]>([
  ['not all roots have spoken', { isComplete: false }],
  ['another operator might collect it', { isOursAlone: false }],
])('nobody is told while %s', (_, observed) => {
  expect(run(observed, 60_000, { lonelySinceMs: 0, isTold: false }).lines).toEqual([]);
});

test('where the definition holds no conditions the event has to do, and without any status too', () => {
  const memory = { lonelySinceMs: 0, isTold: false };
  for (const hasBindings of [true, false]) {
    const door = { hasBindings, hasConditions: false };
    const { lines, memory: next } = run({ door }, 30_000, memory);
    expect(lines).toEqual(['event NotSelected']);
    expect(run({ door }, 40_000, next).lines).toEqual([]);
  }
});

test('bindings of others stay, and those of roots that let go do not', () => {
  const monitor = monitorWith(
    '{ bindings: [{ group: monitoring.coreos.com, resource: prometheuses, namespace: m, name: foreign }, { group: monitoring.coreos.com, resource: prometheuses, namespace: m, name: gone }] }',
  );
  expect(run({ monitor, told: [prometheus] }).lines).toEqual(['foreign ?, main True, Selected=True Prometheus m/main']);
});

test('with the last root goes what was said of those who took it', () => {
  const monitor = monitorWith('{ conditions: [{ type: Selected, status: "True" }, { type: Theirs, status: "True" }] }');
  const none = { monitor, isOursAlone: false };
  expect(run({ ...none, isRootless: true }).lines).toEqual(['Theirs=True undefined']);
  // A root of others may take it, who write there what we do.
  expect(run({ ...none, isRootless: false }).lines).toEqual([]);
});
