import { expect, test } from 'vitest';
import { formatTree } from './tree.ts';

test('a tree reads from the root to the workloads, with problems under what has them', () => {
  const text = formatTree({
    kind: 'GrafanaAgent',
    key: 'm/agent',
    notes: ['2 shards'],
    children: [
      {
        kind: 'MetricsInstance',
        key: 'm/one',
        problems: ['warning: two'],
        children: [
          { kind: 'PodMonitor', key: 'm/a', problems: ['error: one'] },
          { kind: 'Probe', key: 'm/b' },
        ],
      },
      { kind: 'StatefulSet', key: 'm/agent' },
    ],
  });
  expect(text).toBe(
    `GrafanaAgent m/agent (2 shards)
├─ MetricsInstance m/one
│  │ ! warning: two
│  ├─ PodMonitor m/a
│  │    ! error: one
│  └─ Probe m/b
└─ StatefulSet m/agent
`,
  );
});
