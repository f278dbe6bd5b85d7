import { beforeEach, describe, expect, test } from 'vitest';
import { configmaps, customresourcedefinitions } from '../../../api/generated/kinds.ts';
import type { KubeList, KubeObject } from '../../../api/meta.ts';
import { builtinDefinitions } from '../../../resources/builtin.ts';
import { configMap, createTestServer, type TestServer } from '../../../testing/api-server.ts';
import { createWire } from '../../../testing/wire.ts';
import { decodeProtobufObject } from '../protobuf/decode.ts';
import { encodeMessage, envelopeHead } from '../protobuf/encode.ts';
import { fieldsOf, lengthDelimited } from '../protobuf/wire.ts';
import { protobufPieces } from './encode-protobuf.ts';
import { createEncodings } from './encodings.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const partialList = `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
const group = '/apis/example.com/v1/namespaces/default/things';
let plane: TestServer;

beforeEach(async () => {
  plane = await createTestServer({ definitions: builtinDefinitions });
  await plane.create(configmaps, configMap('a'));
  await plane.create(customresourcedefinitions, {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
});

interface Got {
  readonly code: number;
  readonly contentType: unknown;
  readonly bytes: Buffer;
}

async function ask(
  target: string,
  accept: string,
  body?: { readonly method: string; readonly bytes: Buffer },
): Promise<Got> {
  const { method = 'GET', bytes } = body ?? {};
  const sent = { accept, ...(bytes !== undefined && { body: bytes, contentType: protobuf }) };
  const { code, bytes: got, headers } = await createWire(plane.server)(method, target, sent);
  return { code, contentType: headers['content-type'], bytes: got };
}

const core = '/api/v1/namespaces/default/configmaps';

describe('who asks for protobuf gets it', () => {
  test('an object', async () => {
    const { code, contentType, bytes } = await ask(`${core}/a`, `${protobuf},application/json`);
    expect([code, contentType]).toEqual([200, protobuf]);
    expect(decodeProtobufObject(bytes)).toEqual(await plane.get(configmaps, 'a'));
  });

  test('what is made of one that came so', async () => {
    const message = encodeMessage(
      { metadata: { name: 'b' }, data: { x: '1' } },
      { apiVersion: 'v1', kind: 'ConfigMap' },
    );
    const sent = Buffer.concat([envelopeHead({ apiVersion: 'v1', kind: 'ConfigMap' }, message.length), message]);
    const { code, bytes } = await ask(core, protobuf, { method: 'POST', bytes: sent });
    expect(code).toBe(201);
    expect(decodeProtobufObject(bytes)).toMatchObject({ metadata: { name: 'b' }, data: { x: '1' } });
  });

  test('a refusal', async () => {
    const { code, contentType, bytes } = await ask(`${core}/none`, protobuf);
    expect([code, contentType]).toEqual([404, protobuf]);
    expect(decodeProtobufObject(bytes)).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      reason: 'NotFound',
      code: 404,
    });
  });

  test('a list, and one of which only the metadata is shown', async () => {
    const whole = await ask(core, protobuf);
    expect(itemsIn(whole.bytes)).toEqual({ is: 'v1 ConfigMapList', items: 1 });
    const metadata = await ask(core, partialList);
    expect(itemsIn(metadata.bytes)).toEqual({ is: 'meta.k8s.io/v1 PartialObjectMetadataList', items: 1 });
  });

  test('discovery, group by group', async () => {
    const { contentType, bytes } = await ask('/api/v1', protobuf);
    expect(contentType).toBe(protobuf);
    expect(decodeProtobufObject(bytes)).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
  });
});

describe('of custom resources there is no such form', () => {
  test('but JSON for who takes that too, and 406 for who does not', async () => {
    expect(await ask(group, `${protobuf},application/json`)).toMatchObject({
      code: 200,
      contentType: 'application/json',
    });
    const refused = await ask(group, protobuf);
    expect([refused.code, refused.contentType]).toEqual([406, protobuf]);
    expect(decodeProtobufObject(refused.bytes)).toMatchObject({ reason: 'NotAcceptable' });
  });

  test('their metadata has it', async () => {
    const { code, bytes } = await ask(group, partialList);
    expect(code).toBe(200);
    expect(itemsIn(bytes)).toEqual({ is: 'meta.k8s.io/v1 PartialObjectMetadataList', items: 0 });
  });

  test('tables are never written so', async () => {
    const table = 'as=Table;g=meta.k8s.io;v=v1';
    const found = await ask(core, `${protobuf};${table},application/json;${table}`);
    expect(found.contentType).toBe('application/json');
    expect(JSON.parse(found.bytes.toString())).toMatchObject({ kind: 'Table' });
  });
});

function itemsIn(bytes: Buffer): { readonly is: string; readonly items: number } {
  const [type, raw] = [...fieldsOf(bytes.subarray(4))].map(({ value }) => lengthDelimited(value));
  const texts = [...fieldsOf(type ?? Buffer.alloc(0))].map(({ value }) => lengthDelimited(value).toString());
  const items = [...fieldsOf(raw ?? Buffer.alloc(0))].filter(({ number }) => number === 2).length;
  return { is: texts.join(' '), items };
}

describe('a long list', () => {
  const items = Array.from({ length: 500 }, (_, at) => ({
    ...configMap(`m${at}`),
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: { text: 'x'.repeat(1000) },
  })) as unknown as readonly KubeObject[];
  const list: KubeList = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items };

  function pieces(as: 'object' | 'partial'): readonly Buffer[] {
    const encodings = createEncodings({ generationBytesMax: 1e6 });
    return [...protobufPieces(list, { as: { as, version: 'v1' }, encodings })];
  }

  test('lets others have their turn before it begins, and then comes piece by piece', () => {
    const all = pieces('object');
    const begins = all.findIndex(({ length }) => length > 0);
    expect(begins).toBeGreaterThan(5);
    expect(all.slice(begins).every(({ length }) => length > 0 && length < 70_000)).toBe(true);
    expect(itemsIn(Buffer.concat(all))).toEqual({ is: 'v1 ConfigMapList', items: 500 });
    expect(itemsIn(Buffer.concat(pieces('partial'))).items).toBe(500);
  });
});

test('a watch comes in frames', async () => {
  const { headers, bytes: frame } = await createWire(plane.server)('GET', `${core}?watch=1`, { accept: protobuf });
  expect(headers['content-type']).toBe(`${protobuf};stream=watch`);
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  const [type, raw] = [...fieldsOf(frame.subarray(4))].map(({ value }) => lengthDelimited(value));
  expect(type?.toString()).toBe('ADDED');
  const [object] = [...fieldsOf(raw ?? Buffer.alloc(0))].map(({ value }) => lengthDelimited(value));
  expect(decodeProtobufObject(object ?? Buffer.alloc(0))).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a' } });
});
