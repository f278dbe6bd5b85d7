import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Operation, WatchOperation } from '../../../api/operation.ts';
import { encodeRequest, encodeWatch, type WireRequest } from '../../../api/wire/encode-request.ts';
import { parseAccept } from './accept.ts';
import { decode } from './decode.ts';
import { parseTarget } from './target.ts';

const user = { name: 'jane', groups: ['dev'] };

const label = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).filter((text) => text !== 'watch');
/** Names may hold whatever is no path separator: the API refuses them, not the wire. */
const name = fc
  .oneof(label, fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }))
  .filter((text) => !/[\p{Cc}/\\]/u.test(text) && text !== '.' && text !== '..');
const word = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
/** What stands behind `namespaces/x/` as a subresource cannot be the name of a resource. */
const resourceWord = label.filter((text) => text !== 'namespaces' && text !== 'status' && text !== 'finalize');
const resource = fc.record({
  group: fc.constantFrom('', 'apps', 'monitoring.coreos.com'),
  version: fc.constant('v1'),
  resource: resourceWord,
});
const target = fc.record(
  { resource, user: fc.constant(user), namespace: name },
  { requiredKeys: ['resource', 'user'] },
);
const subresource = fc.record(
  { subresource: fc.constantFrom('status', 'scale', 'binding', 'log') },
  { requiredKeys: [] },
);
const named = fc.tuple(target, fc.record({ name }), subresource).map(([a, b, c]) => ({ ...a, ...b, ...c }));

const listOptions = fc.record(
  {
    labelSelector: word,
    fieldSelector: word,
    limit: fc.integer({ min: 1, max: 10_000 }),
    continue: word,
    resourceVersion: fc.nat().map(String),
    resourceVersionMatch: fc.constantFrom('Exact', 'NotOlderThan'),
  },
  { requiredKeys: [] },
);
const writeFields = {
  dryRun: fc.constant(true as const),
  fieldManager: label,
  fieldValidation: fc.constantFrom('Ignore' as const, 'Warn' as const, 'Strict' as const),
};
const writeOptions = fc.record(writeFields, { requiredKeys: [] });
const patchOptions = fc.record({ ...writeFields, force: fc.boolean() }, { requiredKeys: [] });
const preconditions = fc.oneof(
  fc.record({ uid: word }),
  fc.record({ resourceVersion: word }),
  fc.record({ uid: word, resourceVersion: word }),
);
const deleteOptions = fc.record(
  {
    dryRun: fc.constant(true as const),
    gracePeriodSeconds: fc.nat(),
    propagationPolicy: fc.constantFrom('Orphan' as const, 'Background' as const, 'Foreground' as const),
    preconditions,
  },
  { requiredKeys: [] },
);
const body = fc.dictionary(
  fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__'),
  fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.array(word, { maxLength: 3 })),
  { noNullPrototype: true },
);
const parameters = fc.dictionary(
  label.filter((key) => key !== 'pretty'),
  word,
  { minKeys: 1, maxKeys: 3, noNullPrototype: true },
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  named.chain((place) =>
    fc.record({ resourceVersion: word, parameters }, { requiredKeys: [] }).map(({ parameters: given, ...rest }) => ({
      verb: 'get' as const,
      ...place,
      ...rest,
      ...(place.subresource !== undefined && given !== undefined && { parameters: given }),
    })),
  ),
  fc.tuple(target, listOptions).map(([place, options]) => ({ verb: 'list' as const, ...place, options })),
  fc
    .tuple(target, body, writeOptions)
    .map(([place, content, options]) => ({ verb: 'create' as const, ...place, body: content, options })),
  fc.tuple(named, body, writeOptions).map(([place, content, options]) => ({
    verb: 'create' as const,
    subresource: 'eviction',
    ...place,
    body: content,
    options,
  })),
  fc
    .tuple(named, body, writeOptions)
    .map(([place, content, options]) => ({ verb: 'update' as const, ...place, body: content, options })),
  fc
    .tuple(
      named,
      body,
      patchOptions,
      fc.constantFrom('json' as const, 'merge' as const, 'strategic' as const, 'apply' as const),
    )
    .map(([place, content, options, patchType]) => ({
      verb: 'patch' as const,
      ...place,
      patchType,
      body: content,
      options,
    })),
  fc
    .tuple(target, name, deleteOptions)
    .map(([place, of, options]) => ({ verb: 'delete' as const, ...place, name: of, options })),
  fc
    .tuple(target, deleteOptions, listOptions)
    .map(([place, options, list]) => ({ verb: 'deletecollection' as const, ...place, options, list })),
);

const watchOperation: fc.Arbitrary<WatchOperation> = fc
  .tuple(
    target,
    listOptions,
    fc.record(
      {
        allowWatchBookmarks: fc.boolean(),
        sendInitialEvents: fc.boolean(),
        timeoutMs: fc.integer({ min: 1, max: 3600 }).map((seconds) => seconds * 1000),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([place, list, watch]) => ({ ...place, options: { ...list, ...watch } }));

function decoded({ method, target: path, contentType, body: content }: WireRequest): unknown {
  const headers = { ...(contentType !== undefined && { 'content-type': contentType }) };
  const request = decode(
    { method, target: path, headers },
    { target: parseTarget(path), accept: parseAccept(undefined), facts: () => undefined },
  );
  if (request.asks === 'read' || request.asks === 'watch') return request.operation(user);
  if (request.asks === 'write') return request.operation(user, Buffer.from(content ?? ''));
  throw new Error(`asks for a ${request.asks}`);
}

test('what the client encodes, the server decodes to the same operation', () => {
  fc.assert(
    fc.property(operation, (sent) => {
      const { wasText: _known, ...operation } = decoded(encodeRequest(sent)) as Operation & {
        readonly wasText?: boolean;
      };
      expect(operation).toEqual(sent);
    }),
    { numRuns: 500 },
  );
});

test('the same for watches', () => {
  fc.assert(
    fc.property(watchOperation, (sent) => {
      expect(decoded(encodeWatch(sent))).toEqual(sent);
    }),
  );
});
