/**
 * How long bodies of nearly the largest size hold up everybody else: the longest time that the server's loop did not turn, of
 * several of each form, the first after a start included.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'undici';
import { beatVariable } from './beat-variable.ts';
import type { Figures } from './figures.ts';
import { apiOnly, pause, until, withCluster } from './outside.ts';
import { ask, create, poolOf, type Request, untilReady } from './requests.ts';

const rounds = 5;
/** As many as may be, in one object; of YAML, as many lines. */
const fieldCount = 20_000;
/** Where every line or entry counts, also the first thousand and what stands around them. */
const countedFieldCount = 19_900;
const itemCount = 26_000;
const yamlItemCount = 10_400;
/** What must be refused, and soon. */
const tooManyFields = 120_000;
const textBytes = 3 * 1024 * 1024 - 200;

const maps = '/api/v1/namespaces/default/configmaps';
const wides = '/apis/bench.example.com/v1/namespaces/default/wides';

interface Form {
  readonly name: string;
  readonly code: number;
  request(name: string): Request;
}

const fields = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field-${index}`, 'v']));
const items = Array.from({ length: itemCount }, (_, index) => ({ name: `n${index}`, value: 'v' }));
const text = 'x'.repeat(textBytes);
const post = (path: string, body: object): Request => ({ method: 'POST', path, body: JSON.stringify(body) });
const yaml = (path: string, lines: readonly string[]): Request => ({
  ...{ method: 'POST', path, body: `${lines.join('\n')}\n` },
  type: 'application/yaml',
});
const wide = (name: string, spec: object): object => ({
  ...{ apiVersion: 'bench.example.com/v1', kind: 'Wide', metadata: { name } },
  spec,
});
const wideLines = (name: string): readonly string[] => [
  'apiVersion: bench.example.com/v1',
  'kind: Wide',
  `metadata: {name: ${name}}`,
  'spec:',
];

/** A text of three megabytes is more than a ConfigMap may hold, which is found out when all of it was read. */
const forms: readonly Form[] = [
  { name: 'text as JSON', code: 422, request: (name) => post(maps, { metadata: { name }, data: { text } }) },
  {
    name: 'text as YAML',
    code: 422,
    request: (name) => yaml(maps, [`metadata: {name: ${name}}`, 'data:', `  text: ${text.slice(100)}`]),
  },
  {
    name: 'ConfigMap fields',
    code: 201,
    request: (name) => post(maps, { metadata: { name }, data: fields(fieldCount) }),
  },
  { name: 'fields', code: 201, request: (name) => post(wides, wide(name, { fields: fields(fieldCount) })) },
  {
    name: 'fields, applied',
    code: 201,
    request: (name) => ({
      ...{ method: 'PATCH', path: `${wides}/${name}?fieldManager=bench`, type: 'application/apply-patch+yaml' },
      body: JSON.stringify(wide(name, { fields: fields(fieldCount) })),
    }),
  },
  { name: 'items', code: 201, request: (name) => post(wides, wide(name, { items })) },
  {
    name: 'fields as YAML',
    code: 201,
    request: (name) =>
      yaml(wides, [
        ...wideLines(name),
        '  fields:',
        ...Object.keys(fields(countedFieldCount)).map((key) => `    ${key}: v`),
      ]),
  },
  {
    name: 'items as YAML',
    code: 201,
    request: (name) =>
      yaml(wides, [
        ...[...wideLines(name), '  items:'],
        ...items.slice(0, yamlItemCount).flatMap((item) => [`  - name: ${item.name}`, `    value: ${item.value}`]),
      ]),
  },
  { name: 'fields as protobuf', code: 201, request: (name) => protobuf(name, countedFieldCount) },
  { name: 'refused fields', code: 413, request: (name) => post(wides, wide(name, { fields: fields(tooManyFields) })) },
  { name: 'refused protobuf', code: 413, request: (name) => protobuf(name, tooManyFields) },
];

export const bodyForms: readonly string[] = forms.map(({ name }) => name);

/** A ConfigMap as typed clients send it. */
function protobuf(name: string, count: number): Request {
  const entries = Object.entries(fields(count)).map(([key, value]) => field(2, field(1, key), field(2, value)));
  const object = Buffer.concat([field(1, field(1, name)), ...entries]);
  const body = Buffer.concat([
    ...[Buffer.from('k8s\0'), field(1, field(1, 'v1'), field(2, 'ConfigMap'))],
    field(2, object),
  ]);
  return { method: 'POST', path: maps, body, type: 'application/vnd.kubernetes.protobuf' };
}

/** With the length before it, as a varint. */
function field(number: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = [number * 8 + 2];
  let rest = content.length;
  for (; rest > 127; rest >>>= 7) head.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...head, rest]), content]);
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'wides.bench.example.com' },
  spec: {
    group: 'bench.example.com',
    scope: 'Namespaced',
    names: { plural: 'wides', singular: 'wide', kind: 'Wide' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  fields: { type: 'object', additionalProperties: { type: 'string' } },
                  items: {
                    type: 'array',
                    items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'string' } } },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** `beat` is the module that is loaded into the server. */
export function measureBodies(beat: string): Promise<Figures> {
  const file = join(beat, '..', `beat-${process.pid}`);
  const env = { NODE_OPTIONS: `--import=${beat}`, [beatVariable]: file };
  return withCluster({ args: apiOnly, env }, async (outside) => {
    await untilReady(outside);
    const pool = await poolOf(outside, 1);
    try {
      await create(pool, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
      await until(() => outside.kubectl('get', 'wides') !== undefined);
      const figures: Record<string, number> = {};
      for (const form of forms) figures[`${form.name} ms`] = await heldMs(form, { pool, pid: outside.pid, file });
      return figures;
    } finally {
      await pool.destroy();
      rmSync(file, { force: true });
    }
  });
}

interface Server {
  readonly pool: Pool;
  readonly pid: number;
  readonly file: string;
}

async function heldMs({ name, code, request }: Form, server: Server): Promise<number> {
  let heldMsMost = 0;
  for (let round = 0; round < rounds; round++) {
    const asked = request(`${name.replaceAll(/\W+/g, '-').toLowerCase()}-${round}`);
    await readBeat(server);
    const answered = await ask(server.pool, asked);
    if (answered.code !== code) throw new Error(`${name}: ${answered.code} instead of ${code}`);
    heldMsMost = Math.max(heldMsMost, await readBeat(server));
  }
  return heldMsMost;
}

/** Since it was asked last. */
async function readBeat({ pid, file }: Server): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  for (let round = 0; round < 5_000 && !existsSync(file); round++) await pause(2);
  // Not before all of it is there: the file is written in one piece, and then named anew.
  await pause(2);
  renameSync(file, `${file}-read`);
  const text = readFileSync(`${file}-read`, 'utf8');
  rmSync(`${file}-read`);
  return Number(text);
}
