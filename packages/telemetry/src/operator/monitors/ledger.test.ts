import { expect, test } from 'vitest';
import { prometheuses } from '../../resources/prometheus.ts';
import { objectsOf } from '../../testing/world.ts';
import type { Collected } from '../component.ts';
import { createLedger } from './ledger.ts';

const monitor = (name: string) => {
  const [object] = objectsOf(
    `{ apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: { name: ${name}, namespace: shop } }`,
  );
  if (object === undefined) throw new Error('there is one');
  return object;
};
const [root, other] = ['main', 'other'].map(monitor);
if (root === undefined || other === undefined) throw new Error('there are two');
const collected = (name: string, isRejected = false): Collected => ({
  by: root,
  monitor: monitor(name),
  jobs: { names: [], texts: [], ownRules: [], findings: [], isRejected },
});
const looks = { isHomeOnly: false, isElsewhere: false };
const teller = (object: typeof root) => ({ type: prometheuses, root: object, looks: () => looks });

test('only what has changed wakes', () => {
  const ledger = createLedger();
  const woken: string[] = [];
  const stop = ledger.listen((kind, key) => woken.push(`${kind} ${key}`));
  const taken = (): string[] => woken.splice(0);
  ledger.tell(teller(root), [collected('a'), collected('b')]);
  expect(taken()).toEqual(['PodMonitor shop/a', 'PodMonitor shop/b']);
  ledger.tell(teller(root), [collected('a'), collected('b')]);
  expect(taken()).toEqual([]);
  ledger.tell({ ...teller(root), looks: () => ({ ...looks, isHomeOnly: true }) }, [collected('a'), collected('b')]);
  expect(taken()).toEqual(['PodMonitor shop/a', 'PodMonitor shop/b']);
  ledger.tell(teller(root), [collected('a'), collected('b')]);
  expect(taken()).toHaveLength(2);
  ledger.tell(teller(root), [collected('a', true), collected('c')]);
  expect(taken()).toEqual(['PodMonitor shop/a', 'PodMonitor shop/c', 'PodMonitor shop/b']);
  ledger.forget(prometheuses, 'shop/main');
  expect(taken().sort()).toEqual(['PodMonitor shop/a', 'PodMonitor shop/c']);
  stop();
  ledger.tell(teller(root), [collected('a')]);
  expect(taken()).toEqual([]);
});

test('each root says its own, and one instance that leaves it out outweighs another', () => {
  const ledger = createLedger();
  expect(ledger.hasTold(prometheuses, 'shop/main')).toBe(false);
  ledger.tell(teller(root), [collected('a', true), collected('a')]);
  ledger.tell(teller(other), [collected('a')]);
  expect(ledger.hasTold(prometheuses, 'shop/main')).toBe(true);
  expect(ledger.toldOf(monitor('a')).map(({ name, refusal }) => [name, refusal])).toEqual([
    ['main', 'something in it is wrong'],
    ['other', ''],
  ]);
  expect(ledger.toldOf(monitor('b'))).toEqual([]);
});
