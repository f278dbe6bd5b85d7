import { expect, test } from 'vitest';
import { fits, type SchedulerPlugin } from '../plugin.ts';
import { schedulerOptions } from './configuration.ts';

const good: SchedulerPlugin = { name: 'Good', wakesOn: ['node/added', 'pod/removed'], filter: () => fits };
const told = (...plugins: readonly unknown[]): (() => unknown) => {
  return () => schedulerOptions({ plugins: plugins as readonly SchedulerPlugin[] });
};

test('a plugin of one’s own is taken', () => {
  const [profile] = schedulerOptions({ plugins: [good, { ...good, name: 'Better' }] }).profiles ?? [];
  expect(profile?.plugins.map(({ name }) => name).slice(-2)).toEqual(['Good', 'Better']);
});

test.each<[string, unknown, string]>([
  ['no object', 'Good', 'plugins[0]: a plugin is an object { name, wakesOn, filter, … }'],
  ['no name', { wakesOn: [] }, 'plugins[0]: name: it is missing'],
  ['an empty name', { ...good, name: '' }, 'plugins[0]: name: it is missing'],
  [
    'the name of one of ours',
    { ...good, name: 'NodeName' },
    'plugins[0]: name: "NodeName" is a plugin of the scheduler itself',
  ],
  [
    'that of one that is no value here',
    { ...good, name: 'DefaultPreemption' },
    '"DefaultPreemption" is a plugin of the scheduler',
  ],
  ['nothing to wake on', { name: 'Good' }, 'plugins[0]: wakesOn of "Good": it must be a list'],
  [
    'an unknown event',
    { ...good, wakesOn: ['node/added', 'node/changed'] },
    'plugins[0]: wakesOn of "Good": there is no event "node/changed"; there are node/added, node/updated, ',
  ],
  ['a filter that cannot be asked', { ...good, filter: true }, 'plugins[0]: filter of "Good": it must be a function'],
])('%s is refused', (_, plugin, message) => expect(told(plugin)).toThrow(message));

test('two of one name are refused', () =>
  expect(told(good, { ...good })).toThrow('plugins[1]: name: there are two plugins of the name "Good"'));
