import { planeParts } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { type Beside, besideApi } from './controllers.ts';

const beside = (SIGNALBOX_TEST_CONTROLLERS?: string, SIGNALBOX_TEST_NODES?: string): Beside =>
  besideApi({
    ...(SIGNALBOX_TEST_CONTROLLERS !== undefined && { SIGNALBOX_TEST_CONTROLLERS }),
    ...(SIGNALBOX_TEST_NODES !== undefined && { SIGNALBOX_TEST_NODES }),
  });

test.each([[undefined], [''], ['none'], [' , ']])('%j is the API alone', (text) => {
  expect(beside(text)).toEqual({ parts: ['apiservice'], nodes: 0 });
});

test('all of it, with nodes', () => {
  expect(beside('all')).toEqual({ parts: planeParts, nodes: 3 });
  expect(beside('all', '12').nodes).toBe(12);
  expect(beside('all', '0').nodes).toBe(0);
});

test('names, also as upstream has them, and what is left out', () => {
  expect(beside('deployment-controller, replicaset').parts).toEqual(['apiservice', 'deployment', 'replicaset']);
  expect(beside('all,-scheduler,-nodes')).toEqual({
    parts: planeParts.filter((part) => part !== 'scheduler' && part !== 'nodes'),
    nodes: 0,
  });
  expect(beside('-apiservice').parts).toEqual(['apiservice']);
});

test('what cannot be is said with what can', () => {
  expect(() => beside('deploy')).toThrow(/there is no "deploy"; it takes all, none, and garbage-collector, namespace/);
  expect(() => beside('all', 'many')).toThrow('SIGNALBOX_TEST_NODES: "many" is no whole number from 0 to 10000');
  expect(() => beside('none', '3')).toThrow('no simulated nodes run: add "nodes" to SIGNALBOX_TEST_CONTROLLERS');
});
