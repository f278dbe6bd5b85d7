import {
  type KubeObject,
  leases,
  type Operation,
  type Outcome,
  pods,
  StatusError,
  type Transport,
} from '@signalbox/cluster';
import { beforeEach, expect, test } from 'vitest';
import { followingOwnLease } from './own-lease.ts';

const user = { name: 'system:node:box', groups: ['system:nodes'] };
const at = { resource: leases, namespace: 'kube-node-lease', user };
const ending = new AbortController();
const waiting = { signal: ending.signal };
const lease = (version: string): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'box', namespace: 'kube-node-lease', uid: 'u', resourceVersion: version, creationTimestamp: '' },
});

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

let asked: string[];
let answers: (Outcome['object'] | StatusError)[];
let transport: Transport;

beforeEach(() => {
  [asked, answers] = [[], []];
  transport = followingOwnLease({
    async perform(operation: Operation) {
      asked.push(`${operation.verb} ${operation.resource.resource}`);
      const answer = answers.shift() ?? lease('1');
      if (answer instanceof StatusError) throw answer;
      return { code: 200, object: answer, warnings: [] };
    },
    watch(operation) {
      asked.push(`watch ${operation.resource.resource}`);
      return nothing();
    },
  });
});

const refused = (code: number, reason: 'NotFound' | 'Conflict'): StatusError =>
  new StatusError({ apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', code, reason, message: reason });
const list = () => transport.perform({ ...at, verb: 'list', options: { fieldSelector: 'metadata.name=box' } }, waiting);
const update = () => transport.perform({ ...at, verb: 'update', name: 'box', body: {}, options: {} }, waiting);

test('a list is the lease that was got, at its version', async () => {
  answers.push(lease('7'));
  expect((await list()).object).toMatchObject({ metadata: { resourceVersion: '7' }, items: [lease('7')] });
  answers.push(refused(404, 'NotFound'));
  expect((await list()).object).toMatchObject({ items: [] });
  expect(asked).toEqual(['get leases', 'get leases']);
});

test('a watch tells of own writes, and asks for another list when somebody else wrote', async () => {
  const events = transport.watch({ ...at, options: {} }, waiting)[Symbol.asyncIterator]();
  const first = events.next();
  answers.push(lease('8'), refused(409, 'Conflict'));
  await update();
  expect((await first).value).toEqual({ type: 'MODIFIED', object: lease('8') });
  await expect(update()).rejects.toThrow('Conflict');
  expect((await events.next()).value).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  await events.return?.();
});

test('what is no lease goes its way', async () => {
  await transport.perform({ resource: pods, user, verb: 'list', options: {} }, waiting);
  for await (const _ of transport.watch({ resource: pods, user, options: {} }, waiting)) throw new Error('no event');
  expect(asked).toEqual(['list pods', 'watch pods']);
});
