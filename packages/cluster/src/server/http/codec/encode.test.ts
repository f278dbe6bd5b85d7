import { describe, expect, test } from 'vitest';
import type { KubeList, KubeObject } from '../../../api/meta.ts';
import type { Outcome, WatchEvent } from '../../../api/operation.ts';
import { freeze } from '../../../base/freeze.ts';
import { createFakeApi, fakeConfigMap } from '../../../testing/server/fake-api.ts';
import { parseAccept } from './accept.ts';
import type { Answer } from './answer.ts';
import { encodeOutcome, type Presentation } from './encode.ts';
import { watchEncoder } from './encode-watch.ts';
import { createEncodings } from './encodings.ts';

const context = { api: createFakeApi(), encodings: createEncodings({ generationBytesMax: 1_000_000 }) };
const tableAccept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const partialAccept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

function presentation(accept: string | undefined, rest: Partial<Presentation> = {}): Presentation {
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
  return { resource, accept: parseAccept(accept), includeObject: 'Metadata', pretty: false, ...rest };
}

function textOf({ body }: Answer): string {
  if (body.is === 'bytes') return body.bytes.toString();
  if (body.is === 'pieces') return Buffer.concat([...body.pieces]).toString();
  throw new Error('is a stream');
}

function encode(object: Outcome['object'], shown: Presentation, warnings: readonly string[] = []): Answer {
  return encodeOutcome({ code: 200, object, warnings }, { presentation: shown, context });
}

const map = fakeConfigMap('a', { x: '1' });
const list: KubeList = freeze({
  kind: 'ConfigMapList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '7', continue: 'tok', remainingItemCount: 3 },
  items: [map, fakeConfigMap('b')],
});

/** As clients of built-in kinds read it: kind and version stand on the list alone. */
function bare({ items, ...rest }: KubeList): object {
  return { ...rest, items: items.map(({ kind: _kind, apiVersion: _version, ...item }) => item) };
}

test('an object as JSON', () => {
  const answer = encode(map, presentation(undefined));
  expect(JSON.parse(textOf(answer))).toEqual(map);
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
});

test('a list as JSON, whatever its length', () => {
  expect(JSON.parse(textOf(encode(list, presentation(undefined))))).toEqual(bare(list));
  const empty = { ...list, items: [] };
  expect(JSON.parse(textOf(encode(empty, presentation(undefined))))).toEqual(empty);
  const long = { ...list, items: Array.from({ length: 3_000 }, (_, index) => fakeConfigMap(`m-${index}`)) };
  const { body } = encode(long, presentation(undefined));
  const pieces = body.is === 'pieces' ? [...body.pieces] : [];
  expect(pieces.length).toBeGreaterThan(5);
  expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(bare(long));
});

test('YAML and pretty JSON', () => {
  const yaml = encode(map, presentation('application/yaml'));
  expect(yaml.headers['content-type']).toBe('application/yaml');
  expect(textOf(yaml)).toContain('kind: ConfigMap\n');
  expect(textOf(encode(map, presentation(undefined, { pretty: true })))).toContain('\n  "kind": "ConfigMap"');
});

test('a table', () => {
  const table = JSON.parse(textOf(encode(list, presentation(tableAccept)))) as Record<string, unknown>;
  expect(table).toMatchObject({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    rows: [{ cells: ['a', 0] }, { cells: ['b', 0] }],
  });
});

test('a resource without columns falls back to the next choice, or is refused', () => {
  const resource = { group: '', version: 'v1', resource: 'namespaces' };
  expect(JSON.parse(textOf(encode(list, presentation(tableAccept, { resource }))))).toEqual(bare(list));
  const only = presentation('application/json;as=Table;v=v1;g=meta.k8s.io', { resource });
  expect(() => encode(list, only)).toThrow(/accepted/);
});

test('a Status is a Status in every form', () => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 } as const;
  for (const accept of [tableAccept, partialAccept])
    expect(JSON.parse(textOf(encode(status, presentation(accept))))).toEqual(status);
});

test('metadata alone', () => {
  expect(JSON.parse(textOf(encode(map, presentation(partialAccept))))).toEqual({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: map.metadata,
  });
  expect(() => encode(list, presentation(partialAccept))).toThrow('the requested object is a list');
  const listAccept = partialAccept.replace('Metadata', 'MetadataList');
  expect(() => encode(map, presentation(listAccept))).toThrow('the requested object is not a list');
  expect(JSON.parse(textOf(encode(list, presentation(listAccept))))).toMatchObject({
    kind: 'PartialObjectMetadataList',
    metadata: { resourceVersion: '7' },
    items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
  });
});

test('warnings are headers: quoted, cut, each once', () => {
  const { headers } = encode(map, presentation(undefined), ['say "hi"\n\\o', 'say "hi"\n\\o', 'ü', 'x'.repeat(5_000)]);
  const [first, second, third, ...more] = headers['warning'] as readonly string[];
  expect(first).toBe('299 - "say \\"hi\\" \\\\o"');
  expect(Buffer.from(second ?? '', 'latin1').toString('utf8')).toBe('299 - "ü"');
  expect(third?.length).toBeLessThan(280);
  expect(more).toEqual([]);
  const long = 'y'.repeat(500);
  expect(encode(map, presentation(undefined), [long]).headers['warning']).toEqual([`299 - "${long}"`]);
});

test('many warnings stay within what clients take', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `${index} ${'y'.repeat(100)}`);
  const values = encode(map, presentation(undefined), many).headers['warning'] as readonly string[];
  expect(values.join('').length).toBeLessThanOrEqual(4096);
});

test('a large object is in every list and every line of a watch with the same bytes, not with copies', () => {
  const large: KubeObject = freeze({ ...map, data: { text: 'x'.repeat(200_000) } });
  const inList = (): readonly Buffer[] => {
    const { body } = encode({ ...list, items: [map, large, map] } as unknown as KubeObject, presentation(undefined));
    return body.is === 'pieces' ? [...body.pieces] : [];
  };
  const line = (): readonly Buffer[] =>
    watchEncoder(presentation(undefined), context).encode({ type: 'ADDED', object: large });
  const memory = [inList(), inList(), line(), line()].map(
    (pieces) => pieces.find(({ length }) => length > 100_000)?.buffer,
  );
  expect(new Set(memory).size).toBe(1);
  expect(memory[0]).toBeDefined();
  expect(JSON.parse(Buffer.concat(inList()).toString())).toEqual(bare({ ...list, items: [map, large, map] }));
  expect(JSON.parse(Buffer.concat(line()).toString())).toEqual({ type: 'ADDED', object: large });
});

test('a list that would push out its own beginning is the same text, and nothing of it is kept', () => {
  const items = Array.from({ length: 1_000 }, (_, index) => freeze(fakeConfigMap(`m-${index}`, { x: 'é' })));
  const long: KubeList = { ...list, items };
  const told = (generationBytesMax: number): { readonly text: string; readonly kept: number } => {
    const encodings = createEncodings({ generationBytesMax });
    let kept = 0;
    const json: typeof encodings.json = (object, made) => {
      kept += 1;
      return encodings.json(object, made);
    };
    const around = { ...context, encodings: { ...encodings, json } };
    const answer = encodeOutcome(
      { code: 200, object: long, warnings: [] },
      { presentation: presentation(undefined), context: around },
    );
    return { text: textOf(answer), kept };
  };
  const small = told(10_000);
  const large = told(10_000_000);
  expect(small.text).toBe(large.text);
  expect(large.kept).toBeGreaterThan(1_000);
  expect(small.kept).toBe(1);
});

describe('a watch', () => {
  const added: WatchEvent = { type: 'ADDED', object: map };
  const bookmark: WatchEvent = {
    type: 'BOOKMARK',
    object: freeze({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9' },
    }) as unknown as KubeObject,
  };
  const error: WatchEvent = {
    type: 'ERROR',
    object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 410 },
  };
  const lines = (accept: string | undefined, events: readonly WatchEvent[]): readonly Record<string, unknown>[] => {
    const { encode: encodeEvent } = watchEncoder(presentation(accept), context);
    return events.map((event) => {
      const line = Buffer.concat(encodeEvent(event)).toString();
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).not.toContain('\n');
      return JSON.parse(line) as Record<string, unknown>;
    });
  };

  test('of objects', () => {
    expect(lines(undefined, [added, bookmark, error])).toEqual([added, bookmark, error]);
  });

  test('of tables: columns once, bookmarks with one row, errors as they are', () => {
    const [first, second, third, fourth] = lines(tableAccept, [added, added, bookmark, error]);
    expect(first).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Table', columnDefinitions: [{ name: 'Name' }, {}] },
    });
    expect(second).toMatchObject({ object: { columnDefinitions: null, rows: [{ cells: ['a', 0] }] } });
    expect(third).toMatchObject({ type: 'BOOKMARK', object: { columnDefinitions: null, rows: [{}] } });
    expect(fourth).toEqual(error);
  });

  test('of metadata', () => {
    expect(lines(partialAccept, [added, error])).toEqual([
      {
        type: 'ADDED',
        object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: map.metadata },
      },
      error,
    ]);
  });

  test('comes as JSON alone', () => {
    expect(() => watchEncoder(presentation('application/yaml'), context)).toThrow(/accepted/);
  });
});

describe('encodings', () => {
  test('frozen objects are encoded once, others each time', () => {
    const encodings = createEncodings({ generationBytesMax: 1_000 });
    const frozen = freeze({ a: 1 });
    expect(encodings.json(frozen)).toBe(encodings.json(frozen));
    const open = { a: 1 };
    const before = encodings.json(open);
    open.a = 2;
    expect(encodings.json(open).toString()).toBe('{"a":2}');
    expect(before.toString()).toBe('{"a":1}');
  });

  test('what is not asked for is forgotten, what is asked for stays', () => {
    const encodings = createEncodings({ generationBytesMax: 100 });
    const wanted = freeze({ wanted: true });
    const unwanted = freeze({ wanted: false });
    const [first, second] = [encodings.json(wanted), encodings.json(unwanted)];
    for (let index = 0; index < 100; index++) {
      encodings.json(freeze({ index }));
      expect(encodings.json(wanted)).toBe(first);
    }
    expect(encodings.json(unwanted)).not.toBe(second);
  });
});
