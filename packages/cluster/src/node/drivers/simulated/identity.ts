/** Names that look like a runtime's and depend on nothing but what they name. */
import type { Pod } from '../../../api/generated/core-v1.ts';
import { fnv1a } from '../../../base/random.ts';
import { remember } from '../../../base/remember.ts';

export interface Incarnation {
  readonly container: string;
  readonly restartCount: number;
}

export function containerId({ metadata }: Pod, { container, restartCount }: Incarnation): string {
  return `simulated://${hex(`${metadata.uid}/${container}/${restartCount}`)}`;
}

/** Many pods have one image. */
export const imageId: (image: string) => string = remember((image) => {
  const repository = image.split('@')[0]?.replace(/:[^/:]*$/, '') ?? image;
  return `${repository}@sha256:${hex(image)}`;
});

/** 64 hexadecimal digits that depend on nothing but the text. */
function hex(text: string): string {
  let digits = '';
  for (let part = 0; part < 8; part++) digits += fnv1a(`${part}/${text}`).toString(16).padStart(8, '0');
  return digits;
}
