import { expect, test } from 'vitest';
import { StatusError } from '../../../api/status.ts';
import {
  deleteOptions,
  isWatch,
  listOptions,
  parseQuery,
  patchOptions,
  showOptions,
  watchOptions,
  writeOptions,
} from './query.ts';

test('reads every option of a list', () => {
  const query = parseQuery(
    'labelSelector=a%3Db%2Cc%21%3Dd&fieldSelector=spec.nodeName%3Dn&limit=500&continue=tok&resourceVersion=12&resourceVersionMatch=Exact&timeoutSeconds=30',
  );
  expect(listOptions(query)).toEqual({
    labelSelector: 'a=b,c!=d',
    fieldSelector: 'spec.nodeName=n',
    limit: 500,
    continue: 'tok',
    resourceVersion: '12',
    resourceVersionMatch: 'Exact',
  });
});

test('leaves out what is empty, and a limit of zero', () => {
  expect(listOptions(parseQuery('labelSelector=&limit=0&continue=&resourceVersion='))).toEqual({});
});

test('a plus is a space and the first of two values counts', () => {
  expect(listOptions(parseQuery('labelSelector=a+in+(b)&labelSelector=x'))).toEqual({ labelSelector: 'a in (b)' });
});

test('reads the options of a watch', () => {
  const query = parseQuery(
    'watch=1&allowWatchBookmarks=true&sendInitialEvents=false&timeoutSeconds=7&resourceVersionMatch=NotOlderThan',
  );
  expect(isWatch(query)).toBe(true);
  expect(watchOptions(query)).toEqual({
    allowWatchBookmarks: true,
    sendInitialEvents: false,
    timeoutMs: 7000,
    resourceVersionMatch: 'NotOlderThan',
  });
});

test.each([
  ['watch', true],
  ['watch=', true],
  ['watch=TRUE', true],
  ['watch=t', true],
  ['watch=0', false],
  ['watch=false', false],
  ['', false],
])('?%s watches: %s', (text, expected) => expect(isWatch(parseQuery(text))).toBe(expected));

test.each<[string, number, (text: string) => unknown]>([
  ['limit=abc', 400, (text) => listOptions(parseQuery(text))],
  ['limit=1.5', 400, (text) => listOptions(parseQuery(text))],
  ['limit=99999999999999999999', 400, (text) => listOptions(parseQuery(text))],
  ['timeoutSeconds=soon', 400, (text) => listOptions(parseQuery(text))],
  ['timeoutSeconds=soon', 400, (text) => watchOptions(parseQuery(text))],
  ['dryRun=Some', 422, (text) => writeOptions(parseQuery(text), 'CreateOptions')],
  ['dryRun=All&dryRun=Some', 422, (text) => writeOptions(parseQuery(text), 'CreateOptions')],
  ['fieldValidation=Nope', 422, (text) => writeOptions(parseQuery(text), 'CreateOptions')],
  [`fieldManager=${'x'.repeat(129)}`, 422, (text) => writeOptions(parseQuery(text), 'CreateOptions')],
  ['fieldManager=a%00b', 422, (text) => writeOptions(parseQuery(text), 'CreateOptions')],
  ['propagationPolicy=Gently', 422, (text) => deleteOptions(parseQuery(text), undefined)],
  ['propagationPolicy=Orphan&orphanDependents=true', 422, (text) => deleteOptions(parseQuery(text), undefined)],
  ['gracePeriodSeconds=soon', 400, (text) => deleteOptions(parseQuery(text), undefined)],
  ['dryRun=Server', 422, (text) => deleteOptions(parseQuery(text), undefined)],
  ['includeObject=Everything', 400, (text) => showOptions(parseQuery(text))],
  ['labelSelector=%zz', 400, (text) => parseQuery(text)],
])('?%s is refused with %i', (text, code, read) => expect(codeOf(() => read(text))).toBe(code));

test('negative numbers are no limit, and an end at once', () => {
  expect(listOptions(parseQuery('limit=-1&timeoutSeconds=-1'))).toEqual({});
  expect(watchOptions(parseQuery('timeoutSeconds=-1'))).toEqual({ timeoutMs: 1 });
});

test('names the options and the allowed values', () => {
  expect(() => writeOptions(parseQuery('dryRun=Some'), 'CreateOptions')).toThrow(
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
  );
});

test('reads the options of writes', () => {
  expect(
    writeOptions(parseQuery('dryRun=All&fieldManager=kubectl-edit&fieldValidation=Strict'), 'UpdateOptions'),
  ).toEqual({
    dryRun: true,
    fieldManager: 'kubectl-edit',
    fieldValidation: 'Strict',
  });
  expect(patchOptions(parseQuery('force=true&fieldManager=f'))).toEqual({ force: true, fieldManager: 'f' });
  expect(writeOptions(parseQuery(''), 'CreateOptions')).toEqual({});
});

test.each<[string, unknown, object]>([
  [
    'gracePeriodSeconds=5&propagationPolicy=Foreground',
    undefined,
    { gracePeriodSeconds: 5, propagationPolicy: 'Foreground' },
  ],
  ['gracePeriodSeconds=-1', undefined, { gracePeriodSeconds: 1 }],
  ['orphanDependents=true', undefined, { propagationPolicy: 'Orphan' }],
  ['orphanDependents=false', undefined, { propagationPolicy: 'Background' }],
  ['dryRun=All', undefined, { dryRun: true }],
  ['propagationPolicy=Foreground', { kind: 'DeleteOptions', apiVersion: 'v1' }, {}],
  [
    '',
    { propagationPolicy: 'Background', gracePeriodSeconds: 0 },
    { propagationPolicy: 'Background', gracePeriodSeconds: 0 },
  ],
  ['', { preconditions: { uid: 'u', resourceVersion: '7' } }, { preconditions: { uid: 'u', resourceVersion: '7' } }],
  ['', { preconditions: {}, dryRun: ['All'], gracePeriodSeconds: null }, { dryRun: true }],
])('delete ?%s with body %j', (query, body, expected) => {
  expect(deleteOptions(parseQuery(query), body)).toEqual(expected);
});

test.each([
  [[]],
  ['x'],
  [{ kind: 'Pod' }],
  [{ dryRun: 'All' }],
  [{ gracePeriodSeconds: '5' }],
  [{ gracePeriodSeconds: 1.5 }],
  [{ preconditions: 'uid' }],
  [{ preconditions: { uid: 5 } }],
  [{ orphanDependents: 'yes' }],
])('a DeleteOptions body %j is refused', (body) => expect(codeOf(() => deleteOptions(parseQuery(''), body))).toBe(400));

test('says what tables carry', () => {
  expect(showOptions(parseQuery(''))).toEqual({ includeObject: 'Metadata', pretty: false });
  expect(showOptions(parseQuery('includeObject=Object&pretty=true'))).toEqual({
    includeObject: 'Object',
    pretty: true,
  });
});

function codeOf(work: () => unknown): number {
  try {
    work();
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
  throw new Error('was not refused');
}
