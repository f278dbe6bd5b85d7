/**
 * What `kubectl explain` and the reference say about fields. Keys are objects by the end of their path, several separated by
 * a comma (`Prometheus.spec`, `basicAuth`), or by their members (`{key name optional}`), or `*` for all; then field names,
 * `''` being the object itself. The longest end that has the field wins. Lists and maps add nothing to a path.
 */
export type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;
