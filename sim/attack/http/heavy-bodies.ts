export interface HeavyBody {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

const bytesMax = 3 * 1024 * 1024;

function filled(unit: string, before = '', after = ''): string {
  return before + unit.repeat(Math.floor((bytesMax - before.length - after.length) / unit.length)) + after;
}

/** Bodies within the limit of size that say as much as they can. */
export function heavyBodies(path: string): readonly HeavyBody[] {
  const json = 'application/json';
  const yaml = 'application/yaml';
  const object = (data: string): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a"},"data":{${data}}}`;
  const fields = (value: string): string =>
    Array.from({ length: 40_000 }, (_, index) => `"k ${index}":${value}`).join();
  return [
    { name: 'YAML items', path, contentType: yaml, body: filled('- a\n') },
    { name: 'YAML documents', path, contentType: yaml, body: filled('---\na\n') },
    { name: 'YAML hashes', path, contentType: yaml, body: `${'#'.repeat(200)}\nx: 1` },
    { name: 'YAML flow', path, contentType: yaml, body: filled('a: ,', '[', ']') },
    {
      name: 'YAML text',
      path,
      contentType: yaml,
      body: filled('word ', 'kind: ConfigMap\napiVersion: v1\nmetadata: {generateName: a}\ndata:\n  a: '),
    },
    { name: 'YAML beneath the limit', path, contentType: yaml, body: '- a\n'.repeat(45_000) },
    { name: 'JSON brackets', path, contentType: json, body: filled('[],', '[', '[]]') },
    { name: 'JSON depth', path, contentType: json, body: filled('[') },
    { name: 'JSON beneath the limit', path, contentType: json, body: `[${'{},'.repeat(49_000)}{}]` },
    {
      name: 'duplicates deep inside',
      path,
      contentType: json,
      body: `${'{"a":'.repeat(500)}{${'"b":1,'.repeat(90_000)}"b":1}${'}'.repeat(500)}`,
    },
    { name: 'wrong values', path, contentType: json, body: object(fields('1')) },
    { name: 'wrong keys', path, contentType: json, body: object(fields('"v"')) },
    {
      name: 'protobuf',
      path,
      contentType: 'application/vnd.kubernetes.protobuf',
      body: `k8s\0${filled('\x0a\x02\x0a\x00')}`,
    },
    {
      name: 'a patch of many operations',
      method: 'PATCH',
      path: `${path}/bystander`,
      contentType: 'application/json-patch+json',
      body: `[${Array.from(
        { length: 9_000 },
        (_, index) => `{"op":"add","path":"/data/k${index}","value":"v"},{"op":"remove","path":"/data/k${index}"}`,
      )
        .slice(0, 4_500)
        .join()}]`,
    },
  ];
}
