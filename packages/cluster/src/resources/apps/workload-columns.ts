import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import type { KubeObject, LabelSelector } from '../../api/meta.ts';
import { formatSelector } from '../../api/selector/selector.ts';
import { column } from '../columns.ts';
import { containerImages, containerNames } from '../core/pod/container-columns.ts';
import type { Column } from '../resource.ts';

/** `CONTAINERS IMAGES`, with `-o wide`. */
export function templateColumns<T extends KubeObject>(
  of: (object: T) => PodTemplateSpec | undefined,
): readonly Column<T>[] {
  return [
    column('Containers', (object) => containerNames(of(object)), { wide: true }),
    column('Images', (object) => containerImages(of(object)), { wide: true }),
  ];
}

/** `SELECTOR`, with `-o wide`. */
export function selectorColumn<T extends KubeObject>(of: (object: T) => LabelSelector | undefined): Column<T> {
  return column('Selector', (object) => formatSelector(of(object)) || '<none>', { wide: true });
}
