import { expect, test } from 'vitest';
import { grafanaagents } from '../../resources/grafana-agent.ts';
import { prometheuses } from '../../resources/prometheus.ts';
import { servicemonitors } from '../../resources/service-monitor.ts';
import { objectsOf } from '../../testing/world.ts';
import type { Told } from './ledger.ts';
import { type MonitorMemory, type ObservedMonitor, planMonitor } from './plan.ts';
import type { Reach } from './reach.ts';

const looks = { isHomeOnly: false, isElsewhere: false };
const told = (name: string, rootType = prometheuses as Told['rootType']): Told => ({
  rootType,
  namespace: 'm',
  name,
  refusal: '',
  looks,
});
const nothing: Reach = {
  finds: 'nothing',
  reason: 'NoEndpoints',
  message: 'none has endpoints',
  waits: { type: servicemonitors, selector: {}, namespaces: ['shop'] },
};
const something: Reach = { finds: 'something', by: [] };
const [fresh] = objectsOf(
  '{ apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: { name: web, namespace: shop }, spec: {} }',
);
if (fresh === undefined) throw new Error('there is one');

interface Status {
  readonly bindings?: readonly {
    readonly name: string;
    readonly conditions?: readonly { readonly reason?: string }[];
  }[];
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
}

/** One operator's life: each step is what it sees, and when. Tells what stands, and how often the event came. */
function life(monitor = fresh as ObservedMonitor['monitor']) {
  let current = monitor;
  let memory: MonitorMemory | undefined;
  let complaints = 0;
  return {
    see(nowMs: number, ...seen: readonly (readonly [Told, Reach])[]): string {
      const plan = planMonitor(
        {
          type: servicemonitors,
          monitor: current,
          told: seen.map(([each]) => each),
          reaches: seen.map(([, reach]) => reach),
          isComplete: true,
          isOursAlone: true,
          isRootless: false,
          door: { hasBindings: true, hasConditions: true },
          isForeign: () => false,
        },
        { nowMs, memory },
      );
      memory = plan.memory;
      for (const action of plan.actions) {
        if (action.do === 'setStatus') current = action.object;
        if (action.do === 'emit' && action.reason === 'NoTargets') complaints++;
      }
      const { bindings = [], conditions = [] } = (current as { readonly status?: Status }).status ?? {};
      return [
        ...bindings.map(({ name, conditions: [fact] = [] }) => `${name}:${fact?.reason ?? ''}`),
        ...conditions.filter(({ type }) => type === 'TargetsFound').map(({ status }) => status),
        `×${complaints}`,
      ].join(' ');
    },
    current: () => current,
  };
}

const [main, other, agent] = [told('main'), told('other'), told('agent', grafanaagents)];

test('each root has a minute of its own, and one that finds something is enough', () => {
  const { see } = life();
  expect(see(0, [main, nothing], [other, something])).toBe('main: other: ×0');
  expect(see(60_000, [main, nothing], [other, something])).toBe('main:NoTargets other: ×0');
  expect(see(70_000, [main, nothing], [other, nothing])).toBe('main:NoTargets other: ×0');
  expect(see(130_000, [main, nothing], [other, nothing])).toBe('main:NoTargets other:NoTargets False ×1');
  expect(see(131_000, [main, something], [other, nothing])).toBe('main: other:NoTargets True ×1');
});

test('a root that comes a moment later does not silence the event', () => {
  const { see } = life();
  see(0, [main, nothing]);
  see(10, [main, nothing], [agent, nothing]);
  expect(see(60_000, [main, nothing], [agent, nothing])).toBe('main:NoTargets ×0');
  expect(see(60_010, [main, nothing], [agent, nothing])).toBe('main:NoTargets False ×1');
  expect(see(90_000, [main, nothing], [agent, nothing])).toBe('main:NoTargets False ×1');
});

test('what is fetched only now changes nothing, and what cannot be known takes it back without a word', () => {
  const { see } = life();
  see(0, [agent, nothing]);
  expect(see(60_000, [agent, nothing])).toBe('False ×1');
  expect(see(61_000, [agent, { finds: 'pending' }])).toBe('False ×1');
  expect(see(62_000, [agent, { finds: 'unknown' }])).toBe('×1');
});

test('the next operator does not say it again, nor take it back before it knows', () => {
  const first = life();
  first.see(0, [main, nothing]);
  expect(first.see(60_000, [main, nothing])).toBe('main:NoTargets False ×1');
  const second = life(first.current());
  expect(second.see(70_000, [main, { finds: 'pending' }])).toBe('main:NoTargets False ×0');
  expect(second.see(71_000, [main, nothing])).toBe('main:NoTargets False ×0');
  expect(second.see(140_000, [main, nothing])).toBe('main:NoTargets False ×0');
});

test('who leaves it out does not say that nothing is found', () => {
  const { see } = life();
  const refused = { ...main, refusal: 'spec: no' };
  see(0, [refused, { finds: 'unknown' }]);
  expect(see(120_000, [refused, { finds: 'unknown' }])).toBe('main:InvalidConfiguration ×0');
});
