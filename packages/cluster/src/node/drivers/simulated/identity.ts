/** Names that look like a runtime's and depend on nothing but what they name. */
import type { Pod } from '../../../api/generated/core-v1.ts';
import { fnv1a } from '../../../base/random.ts';

export interface Incarnation {
  readonly container: string;
  readonly restartCount: number;
}

export function containerId({ metadata }: Pod, { container, restartCount }: Incarnation): string {
  return `simulated://${hex(`${metadata.uid}/${container}/${restartCount}`)}`;
}

export function imageId(image: string): string {
  const repository = image.split('@')[0]?.replace(/:[^/:]*$/, '') ?? image;
  return `${repository}@sha256:${hex(image)}`;
}

/** 64 hexadecimal digits that depend on nothing but the text. */
function hex(text: string): string {
  return Array.from({ length: 8 }, (_, part) => fnv1a(`${part}/${text}`).toString(16).padStart(8, '0')).join('');
}
