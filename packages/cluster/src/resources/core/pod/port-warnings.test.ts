import { expect, test } from 'vitest';
import type { ContainerPort } from '../../../api/generated/core-v1.ts';
import { portWarnings } from './port-warnings.ts';

type Ports = readonly ContainerPort[];

const warningsOf = (...containers: readonly Ports[]): readonly string[] => [
  ...portWarnings({ containers: containers.map((ports, index) => ({ name: `c${index}`, image: 'i', ports })) }, 'spec'),
];
const [first, second] = ['spec.containers[0].ports[0]', 'spec.containers[1].ports[0]'];

test.each<[why: string, one: ContainerPort, other: ContainerPort, warnings: readonly string[]]>([
  [
    'the same number',
    { containerPort: 80 },
    { containerPort: 80 },
    [`${second}: duplicate port definition with ${first}`],
  ],
  ['another number', { containerPort: 80 }, { containerPort: 81 }, []],
  ['another protocol', { containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }, []],
  [
    'a port of the host on one side alone',
    { containerPort: 80, hostPort: 80 },
    { containerPort: 80 },
    [`${second}: overlapping port definition with ${first}`],
  ],
  [
    'a port of the host on one address and on all',
    { containerPort: 80, hostPort: 80 },
    { containerPort: 80, hostPort: 80, hostIP: '10.0.0.1' },
    [`${second}: dangerously ambiguous port definition with ${first}`],
  ],
  ['two ports of the host', { containerPort: 80, hostPort: 80 }, { containerPort: 80, hostPort: 81 }, []],
  [
    'the same name',
    { containerPort: 80, name: 'http' },
    { containerPort: 81, name: 'http' },
    [
      `${second}: duplicate port name "http" with ${first}, services and probes that select ports by name will use ${first}`,
    ],
  ],
])('two containers with %s', (_, one, other, warnings) => expect(warningsOf([one], [other])).toEqual(warnings));
