import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import type { KubeObject } from '../../api/meta.ts';
import { freeze } from '../../base/freeze.ts';

/** Between the form in the store and the form that a served version shows. */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  /** Returns the stored object itself when nothing differs. */
  fromStored(object: KubeObject): KubeObject;
  /**
   * Finds out the other form of these objects, for conversions that somebody else has to be asked for: the two above then know
   * it. Absent where they know by themselves, and nobody waits.
   */
  learn?(objects: readonly KubeObject[], asking: Learning): Promise<void>;
  /** An object in any version of its definition, straight from whoever is asked; there where `learn` is. */
  convert?(object: KubeObject, apiVersion: string, waiting: { readonly signal: AbortSignal }): Promise<KubeObject>;
}

export interface Learning {
  /** What they are to be turned into. */
  readonly to: 'stored' | 'shown';
  readonly signal: AbortSignal;
}

/** Turns custom resources of some definitions from one version into another, and may take time for it. */
export interface Converter {
  /** Whether it is the one to ask about the versions of this definition. */
  concerns(crd: CustomResourceDefinition): boolean;
  /** As many objects as were asked for, in their order. Only what is particular to the version may differ. */
  convert(request: ConversionRequest, waiting: { readonly signal: AbortSignal }): Promise<readonly KubeObject[]>;
}

export interface ConversionRequest {
  readonly crd: CustomResourceDefinition;
  readonly objects: readonly KubeObject[];
  /** The version that is wanted: `example.com/v2`. */
  readonly apiVersion: string;
}

export const sameForm: Conversion = { toStored: (object) => object, fromStored: (object) => object };

/** Remembers what was converted, so that many readers of one stored object share one result. */
export function rememberedConversion(conversion: Conversion): Conversion {
  const converted = new WeakMap<KubeObject, KubeObject>();
  return {
    toStored: (object) => conversion.toStored(object),
    fromStored(object) {
      const known = converted.get(object);
      if (known !== undefined) return known;
      const result = freeze(conversion.fromStored(object));
      converted.set(object, result);
      return result;
    },
  };
}
