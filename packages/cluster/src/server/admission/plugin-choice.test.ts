import { expect, test } from 'vitest';
import { choosePlugins, defaultPlugins, type PluginChoice } from './plugin-choice.ts';

test('as many are on by default as upstream has on', () => expect(defaultPlugins).toHaveLength(22));

test.each<[string, string, string, PluginChoice]>([
  ['nothing', '', '', { is: 'chosen', without: [], further: [] }],
  [
    'one more, one less, one that is on anyway',
    'OwnerReferencesPermissionEnforcement,ServiceAccount,NodeRestriction',
    'Priority',
    { is: 'chosen', without: ['Priority'], further: ['OwnerReferencesPermissionEnforcement'] },
  ],
  ['one that is off anyway', '', 'EventRateLimit', { is: 'chosen', without: [], further: [] }],
  ['an unknown one', 'Foo', '', { is: 'refused', message: 'enable-admission-plugins plugin "Foo" is unknown' }],
  [
    'several mistakes',
    'NodeRestriction,Foo',
    'NodeRestriction,Bar',
    {
      is: 'refused',
      message:
        '[enable-admission-plugins plugin "Foo" is unknown, disable-admission-plugins plugin "Bar" is unknown, [NodeRestriction] in enable-admission-plugins and disable-admission-plugins overlapped]',
    },
  ],
  [
    'one that is not built here',
    'AlwaysPullImages',
    '',
    {
      is: 'refused',
      message: 'enable-admission-plugins plugin "AlwaysPullImages" is nothing that Signalbox has; leave it out',
    },
  ],
  ['one that is not built here, left out', '', 'AlwaysPullImages', { is: 'chosen', without: [], further: [] }],
])('%s', (_, enable, disable, choice) => {
  const named = (text: string): readonly string[] => text.split(',').filter((name) => name !== '');
  expect(choosePlugins({ enable: named(enable), disable: named(disable) })).toEqual(choice);
});
