import { fixed, traverses } from '../costs/rules.ts';
import { bool, listOf, mapOf, opaque, string, type Type } from '../types/type.ts';
import { Entries, Values } from '../values/collections.ts';
import { EvaluationError, Opaque, type Value } from '../values/value.ts';
import { fn, instance, member, type Overload, text } from './overload.ts';

export const urlType: Type = opaque('kubernetes.URL');

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

class Url extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly parts: Parts;
  readonly source: string;

  constructor(source: string, parts: Parts) {
    super();
    this.source = source;
    this.parts = parts;
  }

  override equals(other: Opaque): boolean {
    return other instanceof Url && other.source === this.source;
  }
}

const syntax = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:[^@/?#]*@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

/** Absolute, or a path from the root: what a request may ask for. */
export function parseUrl(source: string): Parts | undefined {
  if (source === '' || /\p{Cc}/u.test(source) || /%(?![0-9A-Fa-f]{2})/.test(source)) return undefined;
  const [, scheme = '', host = '', path = '', query = ''] = syntax.exec(source) ?? [];
  if (scheme === '' && !source.startsWith('/')) return undefined;
  if (!/^(?:\[[0-9A-Fa-f:.%]+\]|[^:[\]\s<>"]*)(?::\d*)?$/.test(host)) return undefined;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

function parts(value: Value | undefined): Parts {
  return instance(value, Url).parts;
}

function escapedPath(path: string): string {
  return encodeURI(path).replaceAll('%25', '%');
}

function queryOf(query: string): Value {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return new Entries([...found].map(([name, values]) => [name, new Values(values)]));
}

const costs = fixed(1);

function accessor(name: string, of: (parts: Parts) => string): Overload {
  return member(name, { parameters: [urlType], result: string, costs }, ([x]) => of(parts(x)));
}

export const urls: readonly Overload[] = [
  fn('url', { parameters: [string], result: urlType, costs: traverses({ keepsSize: true }) }, ([x]) => {
    const source = text(x);
    const found = parseUrl(source);
    if (found !== undefined) return new Url(source, found);
    throw new EvaluationError(
      `URL parse error during conversion from string: parse ${JSON.stringify(source)}: invalid URI for request`,
    );
  }),
  fn('isURL', { parameters: [string], result: bool }, ([x]) => parseUrl(text(x)) !== undefined),
  accessor('getScheme', ({ scheme }) => scheme),
  accessor('getHost', ({ host }) => host),
  accessor('getHostname', ({ host }) => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')),
  accessor('getPort', ({ host }) => /:(\d*)$/.exec(host)?.[1] ?? ''),
  accessor('getEscapedPath', ({ path }) => escapedPath(path)),
  member('getQuery', { parameters: [urlType], result: mapOf(string, listOf(string)), costs }, ([x]) =>
    queryOf(parts(x).query),
  ),
];
