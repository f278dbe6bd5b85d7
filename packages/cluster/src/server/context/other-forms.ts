import type { KubeObject } from '../../api/meta.ts';
import { assert } from '../../base/assert.ts';
import { formatExactJson } from '../../base/exact-json.ts';
import type { Conversion } from './conversion.ts';

/** Thrown where an object is needed in a form that nobody has been asked for yet. */
class Unasked extends Error {
  readonly object: KubeObject;
  readonly apiVersion: string;

  constructor(object: KubeObject, apiVersion: string) {
    super(`the form of ${object.kind} in ${apiVersion} is not known yet`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** Each owner in another version costs a few forms: of what is there, of what comes in, and of what is made of both. */
const formsMax = 100;

/**
 * Objects of one write in the versions in which others have named their fields, where somebody has to be asked for those. What
 * owners come to is reckoned without waiting; what it lacks is asked for, and it is reckoned again.
 */
export class OtherForms {
  readonly #known = new Map<string, KubeObject>();
  #isAsking = false;

  /** Outside of {@link complete} nobody is asked: fields of one name are taken for the same. */
  of(object: KubeObject, apiVersion: string): KubeObject {
    if (!this.#isAsking || object.metadata === undefined) return { ...object, apiVersion };
    const form = this.#known.get(keyOf(object, apiVersion));
    if (form === undefined) throw new Unasked(object, apiVersion);
    return form;
  }

  /** What `reckon` returns once it knows all forms that it looks at. It has to return the same however often it is called. */
  async complete<T>(
    reckon: () => T | Promise<T>,
    { convert, signal }: { readonly convert: NonNullable<Conversion['convert']>; readonly signal: AbortSignal },
  ): Promise<T> {
    for (;;) {
      try {
        this.#isAsking = true;
        const done = reckon();
        this.#isAsking = false;
        return await done;
      } catch (error) {
        this.#isAsking = false;
        if (!(error instanceof Unasked)) throw error;
        const { object, apiVersion } = error;
        assert(this.#known.size < formsMax, 'what owners come to needs a known number of forms', { apiVersion });
        this.#known.set(keyOf(object, apiVersion), await convert(object, apiVersion, { signal }));
      }
    }
  }
}

/** What is reckoned again is made anew, so an object is known by what it says. */
function keyOf(object: KubeObject, apiVersion: string): string {
  const { managedFields: _owners, ...metadata } = object.metadata;
  return `${apiVersion} ${formatExactJson({ ...object, metadata })}`;
}
