import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { apiVersionOf } from '../../api/gvk.ts';
import type { KubeObject } from '../../api/meta.ts';
import { hasDefaults } from '../../api/schema/default.ts';
import { internalError, StatusError } from '../../api/status.ts';
import { present } from '../../base/assert.ts';
import { freeze } from '../../base/freeze.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { type Conversion, type Converter, rememberedConversion, sameForm } from '../context/conversion.ts';

export interface ConversionOptions {
  /** The revision of the definition's own last change. */
  readonly revision: number;
  readonly converter?: Converter | undefined;
}

/** How the objects of a definition are kept and shown as one of its versions. */
export function conversionOf(
  crd: CustomResourceDefinition,
  definition: ResourceDefinition,
  { revision, converter }: ConversionOptions,
): Conversion {
  // What was written as another version has none of this one's defaults, whenever that was.
  const hasOthers = crd.spec.versions.length > 1;
  return withDefaults(versionConversion(crd, definition, converter), {
    definition,
    ...(!hasOthers && { revision }),
  });
}

/** What the two directions of a conversion between versions go by. */
interface Versions {
  readonly crd: CustomResourceDefinition;
  readonly shown: string;
  readonly kept: string;
}

/** Objects may still be kept under a version that was the stored one once, so each is looked at. */
function versionConversion(
  crd: CustomResourceDefinition,
  definition: ResourceDefinition,
  converter: Converter | undefined,
): Conversion {
  const { spec } = crd;
  const stored = spec.versions.find(({ storage }) => storage);
  if (spec.versions.length === 1 || stored === undefined) return sameForm;
  const versions = {
    crd,
    shown: apiVersionOf(definition),
    kept: apiVersionOf({ group: spec.group, version: stored.name }),
  };
  return converter?.concerns(crd) === true ? askedConversion(versions, converter) : renaming(versions);
}

/** Versions differ in name only (conversion strategy None). */
function renaming({ shown, kept }: Versions): Conversion {
  const { fromStored } = rememberedConversion({
    toStored: (object) => object,
    fromStored: (object) => ({ ...object, apiVersion: shown }),
  });
  return {
    toStored: (object) => (object.apiVersion === kept ? object : { ...object, apiVersion: kept }),
    fromStored: (object) => (object.apiVersion === shown ? object : fromStored(object)),
  };
}

/** Asks once for every object and form, and remembers the answer as long as the object is there. */
function askedConversion({ crd, shown, kept }: Versions, converter: Converter): Conversion {
  const known = { stored: new WeakMap<KubeObject, KubeObject>(), shown: new WeakMap<KubeObject, KubeObject>() };
  const formOf = (object: KubeObject, to: 'stored' | 'shown'): KubeObject =>
    present(known[to].get(object), `the ${to} form of ${object.metadata.name}, which was learnt before`);
  return {
    toStored: (object) => (object.apiVersion === kept ? object : formOf(object, 'stored')),
    fromStored: (object) => (object.apiVersion === shown ? object : formOf(object, 'shown')),
    async learn(all, { to, signal }) {
      const apiVersion = to === 'stored' ? kept : shown;
      const objects = all.filter((object) => object.apiVersion !== apiVersion && !known[to].has(object));
      if (objects.length === 0) return;
      const converted = await converter.convert({ crd, objects, apiVersion }, { signal });
      for (const [index, object] of objects.entries())
        known[to].set(object, freeze(checked(object, converted[index], apiVersion)));
    },
    async convert(object, apiVersion, { signal }) {
      const [converted] = await converter.convert({ crd, objects: [object], apiVersion }, { signal });
      return freeze(checked(object, converted, apiVersion));
    },
  };
}

/** Throws 500 when what came back is not the same object in the wanted version. */
function checked(object: KubeObject, converted: KubeObject | undefined, apiVersion: string): KubeObject {
  const { name, namespace, uid } = object.metadata;
  const isSame =
    converted?.apiVersion === apiVersion &&
    converted.kind === object.kind &&
    converted.metadata.name === name &&
    converted.metadata.namespace === namespace &&
    converted.metadata.uid === uid;
  if (isSame) return converted;
  throw new StatusError(
    internalError(
      `the conversion of ${object.kind} ${JSON.stringify(name)} to ${apiVersion} came back as another object or version`,
    ),
  );
}

interface Defaulting {
  readonly definition: ResourceDefinition;
  /** From which on everything was written under this schema, if that can be told. */
  readonly revision?: number;
}

/**
 * Fields with a default that the schema has gained since an object was written, or that the version in which it was written
 * lacks. What was written under this schema has them already, which its version tells without a look.
 */
function withDefaults(conversion: Conversion, { definition, revision = Infinity }: Defaulting): Conversion {
  const { defaults, schema } = definition;
  if (defaults === undefined || typeof schema === 'string' || !hasDefaults(schema)) return conversion;
  const { fromStored } = rememberedConversion({
    toStored: (object) => object,
    fromStored: (object) => defaults(conversion.fromStored(object)),
  });
  return {
    ...conversion,
    fromStored: (object) =>
      Number(object.metadata.resourceVersion) > revision ? conversion.fromStored(object) : fromStored(object),
  };
}
