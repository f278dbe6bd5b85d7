import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { pods } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { podDefinition } from '../../resources/core/pod/pod.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { admin, createTestServer, pod, type TestServer } from '../../testing/api-server.ts';

const { signal } = new AbortController();

interface Counted extends TestServer {
  /** How many bodies were read whole so far. */
  read(): number;
}

async function counted({ says }: { readonly says: boolean }): Promise<Counted> {
  let count = 0;
  const { says: short = [], ...long } = podDefinition;
  const definition = {
    ...long,
    ...(says && { says: short }),
    unreadable() {
      count += 1;
      return undefined;
    },
  };
  const server = await createTestServer({ definitions: [definition as unknown as ResourceDefinition] });
  return { ...server, read: () => count };
}

type Body = Readonly<Record<string, unknown>>;

interface Asked {
  readonly body: Body;
  readonly uid?: 'right' | 'wrong';
  readonly manager?: string;
  readonly patchType?: 'strategic' | 'merge';
  readonly dryRun?: boolean;
  /** What was wrong with the text of the patch. */
  readonly flaws?: readonly string[];
}

/** What comes of it: the object, or the refusal. */
async function say(
  server: TestServer,
  { body, uid, manager, patchType = 'strategic', dryRun = false, flaws = [] }: Asked,
): Promise<string> {
  const { metadata } = await server.get(pods, 'p');
  const meant = uid === undefined ? {} : { metadata: { uid: uid === 'right' ? metadata.uid : 'other' } };
  const target = { resource: pods, user: admin, namespace: 'default', name: 'p', subresource: 'status' };
  const options = { ...(manager !== undefined && { fieldManager: manager }), dryRun };
  try {
    const { code, object, warnings } = await server.server.perform(
      { verb: 'patch', ...target, patchType, body: { ...meant, ...body }, flaws, options },
      { signal },
    );
    return JSON.stringify({ code, object, warnings });
  } catch (error) {
    if (error instanceof StatusError) return JSON.stringify(error.status);
    throw error;
  }
}

const time = fc.constantFrom(
  '2025-01-01T00:00:00Z',
  '2025-01-01T00:00:00.5Z',
  '2025-01-01T01:00:00+01:00',
  'never',
  null,
);
const text = fc.constantFrom('a', 'b', '', null, 7);
const conditions = fc.record(
  {
    type: fc.constantFrom('PodScheduled', 'DisruptionTarget', 'Ready', 'x.example/y', '', undefined),
    status: fc.constantFrom('True', 'False', null),
    reason: text,
    message: text,
    lastTransitionTime: time,
    lastProbeTime: time,
    observedGeneration: fc.constantFrom(1, 0, -1, 1.5, '1'),
    more: text,
    $patch: fc.constantFrom('delete', 'replace'),
  },
  { requiredKeys: ['type'] },
);
/** Most say one thing and nothing strange. */
const plain = fc.record({
  type: fc.constantFrom('PodScheduled', 'DisruptionTarget', 'Ready'),
  status: fc.constantFrom('True', 'False'),
  reason: fc.constantFrom('a', 'b'),
  message: fc.constantFrom('a', 'b'),
  lastTransitionTime: fc.constantFrom('2025-01-01T00:00:00Z', '2025-01-01T00:00:05Z'),
  observedGeneration: fc.constantFrom(1, 2),
});
const statuses = fc.record(
  {
    conditions: fc.oneof(
      { weight: 4, arbitrary: plain.map((one) => [one]) },
      { weight: 2, arbitrary: conditions.map((one) => [one]) },
      { weight: 1, arbitrary: fc.array(fc.oneof(plain, conditions), { maxLength: 3 }) },
    ),
    nominatedNodeName: fc.constantFrom('node-1', 'node-2', 'No Node', '', null),
    phase: fc.constantFrom('Running', 'Pending'),
    podIPs: fc.constant([{ ip: '10.0.0.1' }]),
  },
  { requiredKeys: ['conditions'] },
);
const asked: fc.Arbitrary<Asked> = fc.record(
  {
    body: statuses.map((status) => ({ status })),
    uid: fc.constantFrom('right', 'right', 'right', 'wrong'),
    manager: fc.constantFrom('one', 'two'),
    patchType: fc.constantFrom('strategic', 'strategic', 'strategic', 'merge'),
  },
  { requiredKeys: ['body'] },
);

test('what is said of a pod comes to the same by the short way, byte for byte', async () => {
  // Some say the same again.
  const step = fc.tuple(asked, fc.constantFrom(0, 0, 5_000), fc.constantFrom(1, 1, 2));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const both = [await counted({ says: true }), await counted({ says: false })] as const;
      for (const server of both) await server.create(pods, pod('p', {}), { manager: 'one' });
      for (const [one, waitMs, times] of steps)
        for (let time = 0; time < times; time++) {
          for (const { clock } of both) await clock.advance(waitMs);
          expect(await say(both[0], one)).toBe(await say(both[1], one));
        }
      const [short, long] = await Promise.all(both.map(async (each) => JSON.stringify(await each.get(pods, 'p'))));
      expect(short).toBe(long);
    }),
    { numRuns: 60 * inject('thoroughness') },
  );
});

const disrupted = { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'm' };

const unready = { type: 'Ready', status: 'False' };
const ready: Asked = { body: { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'a' }] } } };

test.each<[string, readonly Asked[]]>([
  ['a dry run', [{ body: { status: { conditions: [disrupted] } }, dryRun: true }]],
  ['the end of a condition', [ready, { body: { status: { conditions: [{ type: 'Ready', $patch: 'delete' }] } } }]],
  ['the end of a field', [ready, { body: { status: { conditions: [{ type: 'Ready', reason: null }] } } }]],
  ['an object for a text', [{ body: { status: { conditions: [{ ...disrupted, message: {} }] } } }]],
  ['an empty type', [{ body: { status: { conditions: [{ ...disrupted, type: '' }] } } }]],
  ['no type', [{ body: { status: { conditions: [{ status: 'True' }] } } }]],
  ['a type that is none', [{ body: { status: { conditions: [{ type: null, status: 'True' }] } } }]],
  ['a time that is none', [{ body: { status: { conditions: [{ ...disrupted, lastTransitionTime: null }] } } }]],
  ['a generation that is none', [{ body: { status: { conditions: [{ ...disrupted, observedGeneration: null }] } } }]],
  ['the end of a status', [ready, { body: { status: { conditions: [{ type: 'Ready', status: null }] } } }]],
  ['the end of all', [ready, { body: { status: { conditions: [{ type: 'Ready', $patch: 'replace' }] } } }]],
  ['another end', [ready, { body: { status: { conditions: [{ $retainKeys: ['type'], type: 'Ready' }] } } }]],
  ['a number for a text', [{ body: { status: { conditions: [{ ...disrupted, message: 7 }] } } }]],
  ['a field that nobody knows', [{ body: { status: { conditions: [{ ...disrupted, more: 'a' }] } } }]],
  ['a field that stands twice in the text', [{ body: { status: { conditions: [disrupted] } }, flaws: ['twice'] }]],
  [
    'one of two of its type',
    [
      { body: { status: { conditions: [unready, { ...unready, reason: 'other' }] } }, patchType: 'merge' },
      { body: { status: { conditions: [{ ...unready, status: 'True' }] } } },
    ],
  ],
])('what comes to the same by both ways: %s', async (_, steps) => {
  const both = [await counted({ says: true }), await counted({ says: false })] as const;
  for (const server of both) await server.create(pods, pod('p', {}));
  const [short, long] = await Promise.all(
    both.map(async (server) => {
      const answers: string[] = [];
      for (const step of steps) answers.push(await say(server, { ...step, uid: 'right' }));
      return [...answers, JSON.stringify(await server.get(pods, 'p'))];
    }),
  );
  expect(short).toEqual(long);
});

test.each([
  { does: 'a new condition', body: { status: { conditions: [disrupted] } }, isShort: true },
  {
    does: 'a condition and a node',
    body: { status: { conditions: [disrupted], nominatedNodeName: 'node-1' } },
    isShort: true,
  },
  { does: 'two conditions', body: { status: { conditions: [disrupted, { ...disrupted, type: 'Ready' }] } } },
  { does: 'another field', body: { status: { conditions: [disrupted], phase: 'Running' } } },
  { does: 'an unknown field', body: { status: { conditions: [{ ...disrupted, more: 'a' }] } } },
  { does: 'a label', body: { metadata: { labels: { a: 'b' } }, status: { conditions: [disrupted] } } },
])('$does is read whole only where it has to be', async ({ body, isShort = false }) => {
  const server = await counted({ says: true });
  await server.create(pods, pod('p', {}));
  const before = server.read();
  await say(server, { body, uid: 'right' });
  expect(server.read() - before).toBe(isShort ? 0 : 1);
  const { status } = (await server.get(pods, 'p')) as KubeObject as Pod;
  expect(status.conditions).toContainEqual(expect.objectContaining(disrupted));
});

test('who is overtaken says it of what stands there then', async () => {
  const server = await counted({ says: true });
  await server.create(pods, pod('p', {}));
  const told = await Promise.all([
    say(server, { uid: 'right', body: { status: { conditions: [disrupted] } } }),
    say(server, { uid: 'right', body: { status: { conditions: [{ ...disrupted, type: 'Ready' }] } } }),
  ]);
  expect(told.map((each) => (JSON.parse(each) as { readonly code: number }).code)).toEqual([200, 200]);
  const { status } = (await server.get(pods, 'p')) as KubeObject as Pod;
  expect(status.conditions?.map(({ type }) => type).sort()).toEqual(['DisruptionTarget', 'Ready']);
});
