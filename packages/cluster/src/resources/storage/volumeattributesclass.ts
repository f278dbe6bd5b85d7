import { volumeattributesclasses } from '../../api/generated/kinds.ts';
import type { VolumeAttributesClass } from '../../api/generated/storage-v1.ts';
import { equal } from '../../base/equal.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { qualifiedName } from '../validation/names.ts';

const parametersMax = 512;
const parametersBytesMax = 256 * 1024;

export const volumeattributesclassDefinition: ResourceDefinition<VolumeAttributesClass> = defineResource(
  volumeattributesclasses,
  {
    schema: 'io.k8s.api.storage.v1.VolumeAttributesClass',
    traits: { returnsDeleted: true },
    shortNames: ['vac'],
    columns: [column('DriverName', ({ driverName }) => driverName)],
    *validate({ driverName, parameters = {} }, at) {
      if ((driverName ?? '') === '') yield at('driverName').required();
      else yield* qualifiedName(driverName.toLowerCase(), at('driverName'));
      const place = at('parameters');
      const entries = Object.entries(parameters);
      if (entries.length > parametersMax) {
        yield place.tooLong('', parametersMax);
        return;
      }
      if (Object.hasOwn(parameters, '')) yield place.invalid('', 'field can not be empty.');
      const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
      if (bytes > parametersBytesMax) yield place.tooLong('', parametersBytesMax);
      if (entries.length === 0) yield place.required('must contain at least one key/value pair');
    },
    *validateUpdate(next, current, at) {
      for (const field of ['driverName', 'parameters'] as const)
        if (!equal(next[field], current[field])) yield at(field).forbidden(`updates to ${field} are forbidden.`);
    },
  },
);
