/** By definition without its prefix (`apps.v1.DaemonSetSpec`), then by field; `''` is the definition itself. */
export type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;
