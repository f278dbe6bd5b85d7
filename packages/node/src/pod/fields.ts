/** Fields of a pod as its containers read them: by the environment or by files. */
import type { ObjectFieldSelector, Pod } from '@signalbox/cluster';
import type { PodAround } from './around.ts';
import { badConfig, type Made, made } from './made.ts';

const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/;

/** Of `env[].valueFrom.fieldRef`. */
export function envField(pod: Pod, { fieldPath }: ObjectFieldSelector, around: PodAround): Made<string> {
  const { spec } = pod;
  const own = around.address ?? (spec.hostNetwork === true ? around.node.address : '');
  switch (fieldPath) {
    case 'spec.nodeName':
      return made(around.node.name);
    case 'spec.serviceAccountName':
      return made(spec.serviceAccountName ?? '');
    case 'status.hostIP':
    case 'status.hostIPs':
      return made(around.node.address);
    case 'status.podIP':
    case 'status.podIPs':
      return made(own);
    default:
      return metadataField(pod, fieldPath);
  }
}

/** Of files: what may change while the pod runs. */
export function metadataField({ metadata }: Pod, fieldPath: string): Made<string> {
  const entry = subscript.exec(fieldPath);
  if (entry !== null) {
    const [, of, key = ''] = entry;
    return made((of === 'labels' ? metadata.labels : metadata.annotations)?.[key] ?? '');
  }
  switch (fieldPath) {
    case 'metadata.name':
      return made(metadata.name);
    case 'metadata.namespace':
      return made(metadata.namespace ?? '');
    case 'metadata.uid':
      return made(metadata.uid);
    case 'metadata.labels':
      return made(lines(metadata.labels));
    case 'metadata.annotations':
      return made(lines(metadata.annotations));
    default:
      return badConfig(`unsupported fieldPath: ${fieldPath}`);
  }
}

function lines(entries: Readonly<Record<string, string>> = {}): string {
  return Object.keys(entries)
    .sort()
    .map((key) => `${key}=${quoted(entries[key] ?? '')}`)
    .join('\n');
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** As Go writes a string, which is what programs that read these files expect. */
function quoted(text: string): string {
  return `"${Array.from(text, escaped).join('')}"`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code !== 0x7f) return escapes[character] ?? character;
  return escapes[character] ?? `\\x${code.toString(16).padStart(2, '0')}`;
}
