import { describe, expect, test } from 'vitest';
import type { Service } from '../../../api/generated/core-v1.ts';
import { lines } from '../../../testing/resources/judge.ts';
import { settleFamilies } from './families.ts';

type Spec = Service['spec'];

const settled = (spec: Spec, current?: Spec): unknown => {
  const { spec: after, issues } = settleFamilies(spec, current);
  return issues.length > 0 ? lines(issues) : [after.ipFamilyPolicy, ...(after.ipFamilies ?? [])];
};
const headless = { clusterIP: 'None', clusterIPs: ['None'] };
const selector = { app: 'a' };
const several = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";

describe('a new service', () => {
  test.each<[string, Spec, readonly string[]]>([
    ['has addresses of one family', {}, ['SingleStack', 'IPv4']],
    ['may prefer two', { ipFamilyPolicy: 'PreferDualStack' }, ['PreferDualStack', 'IPv4']],
    [
      'may not demand two',
      { ipFamilyPolicy: 'RequireDualStack' },
      [
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
      ],
    ],
    [
      'names families that there are',
      { ipFamilies: ['IPv6'] },
      ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      'has one family unless it says otherwise',
      { ipFamilies: ['IPv4', 'IPv6'] },
      [`spec.ipFamilyPolicy: Invalid value: "SingleStack": ${several}`],
    ],
    ['without addresses and a selector has both', headless, ['RequireDualStack', 'IPv4', 'IPv6']],
    ['… the one that it names first', { ...headless, ipFamilies: ['IPv6'] }, ['RequireDualStack', 'IPv6', 'IPv4']],
    ['… or one', { ...headless, ipFamilyPolicy: 'SingleStack' }, ['SingleStack', 'IPv4']],
    [
      '… also one that nobody gives out',
      { ...headless, ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] },
      ['SingleStack', 'IPv6'],
    ],
    ['without addresses has one where it selects', { ...headless, selector }, ['SingleStack', 'IPv4']],
    [
      'has an address of a family that there is',
      { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] },
      ['spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster'],
    ],
    [
      'has an address of the family that it names',
      { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9'], ipFamilies: ['IPv6'] },
      ['spec.clusterIPs[0]: Invalid value: "10.96.0.9": expected an IPv6 value as indicated by `ipFamilies[0]`'],
    ],
    [
      'names its addresses in both places',
      { clusterIPs: ['None'] },
      ['spec.clusterIPs: Invalid value: ["None"]: must be empty when `clusterIP` is not specified'],
    ],
    [
      'names the same in both places',
      { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.10'] },
      ['spec.clusterIPs: Invalid value: ["10.96.0.10"]: first value must match `clusterIP`'],
    ],
    [
      'has one address of a family',
      { clusterIP: '10.96.0.9', clusterIPs: ['10.96.0.9', '10.96.0.10'] },
      [
        'spec.clusterIPs: Invalid value: ["10.96.0.9","10.96.0.10"]: may specify no more than one IP for each IP family',
      ],
    ],
    [
      'has no other address beside none',
      { clusterIP: 'None', clusterIPs: ['None', '10.96.0.9'] },
      ['spec.clusterIPs: Invalid value: ["None","10.96.0.9"]: \'None\' must be the first and only value'],
    ],
    [
      'names families once, and a policy that there is',
      { ipFamilies: ['IPv4', 'IPv4'], ipFamilyPolicy: 'Both' },
      [
        'spec.ipFamilies[1]: Duplicate value: "IPv4"',
        'spec.ipFamilyPolicy: Unsupported value: "Both": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
      ],
    ],
  ])('%s', (_, spec, expected) => expect(settled(spec)).toEqual(expected));
});

describe('a service that was there', () => {
  const both: Spec = { ...headless, ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] };
  test.each<[string, Spec, Spec, readonly string[]]>([
    ['keeps its policy', {}, { ipFamilyPolicy: 'PreferDualStack' }, ['PreferDualStack', 'IPv4']],
    ['gives a family up by asking for one', { ...both, ipFamilyPolicy: 'SingleStack' }, both, ['SingleStack', 'IPv4']],
    [
      '… not by leaving one out',
      { ...both, ipFamilies: ['IPv4'] },
      both,
      [
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the secondary IP family',
      ],
    ],
    [
      'is not changed where it prefers two',
      { ...both, selector, ipFamilyPolicy: 'PreferDualStack' },
      { ...both, ipFamilyPolicy: 'PreferDualStack' },
      ['PreferDualStack', 'IPv4', 'IPv6'],
    ],
  ])('%s', (_, spec, current, expected) => expect(settled(spec, current)).toEqual(expected));

  test('is settled for good', () => {
    for (const spec of [{}, headless, { ...headless, ipFamilyPolicy: 'SingleStack' }, { ...headless, selector }]) {
      const once = settleFamilies(spec, undefined);
      expect(settleFamilies(once.spec, undefined)).toEqual(once);
      expect(settleFamilies(once.spec, once.spec)).toEqual(once);
    }
  });
});
