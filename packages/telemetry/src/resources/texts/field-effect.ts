/** What a field has an effect on, from the tables of the roots that read its kind. */
export interface FieldEffect {
  /** With which roots nothing comes of it; all of them: `everywhere`. */
  readonly none?: readonly string[] | 'everywhere';
  /** The values that have an effect, and with which roots only these. */
  readonly only?: { readonly values: readonly string[]; readonly roots: readonly string[] | 'everywhere' };
  /** `Prometheus 2.48`: older ones do not read it. */
  readonly since?: string;
}
