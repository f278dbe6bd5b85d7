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

const starts = Array.from({ length: 8 }, (_, part) => fnv1a(`${part}/`));

/** 64 hexadecimal digits that depend on nothing but the text. */
function hex(text: string): string {
  let digits = '';
  for (const start of starts) digits += fnv1a(text, start).toString(16).padStart(8, '0');
  return digits;
}
