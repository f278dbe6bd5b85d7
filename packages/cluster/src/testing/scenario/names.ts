import type { KubeObject } from '../../api/meta.ts';
import { controllerOf } from '../../api/meta.ts';

/**
 * Generated names as people tell stories: `web-5d-a`, `web-5d-b` instead of random letters, so that a transcript changes
 * only when what happens changes.
 */
export interface Names {
  of(object: KubeObject): string;
  /** `pod/web-a`, or `shop:pod/web-a` outside the default namespace. */
  title(object: KubeObject): string;
  /** Replaces every generated name in a text that somebody else wrote. */
  within(text: string): string;
}

/** Of the server's making. */
const randomEnd = /^[a-z0-9]{5}$/;

export function createNames(): Names {
  const aliases = new Map<string, string>();
  const counts = new Map<string, number>();

  const of = ({ metadata }: KubeObject): string => {
    const { generateName, name } = metadata;
    // Pods of a StatefulSet say where a name would come from, and have one of their own.
    const isGenerated = generateName !== undefined && name.startsWith(generateName);
    if (!isGenerated || !randomEnd.test(name.slice(generateName.length))) return within(name);
    const known = aliases.get(name);
    if (known !== undefined) return known;
    const count = counts.get(generateName) ?? 0;
    counts.set(generateName, count + 1);
    const alias = `${within(generateName)}${letters(count)}`;
    aliases.set(name, alias);
    return alias;
  };

  const within = (text: string): string => {
    let told = text;
    for (const [name, alias] of aliases) if (told.includes(name)) told = told.replaceAll(name, alias);
    return told;
  };

  return {
    of,
    title: (object) => {
      const { namespace } = object.metadata;
      const place = namespace === undefined || namespace === 'default' ? '' : `${namespace}:`;
      return `${place}${object.kind.toLowerCase()}/${of(object)}`;
    },
    within,
  };
}

/** 0 → a, 25 → z, 26 → aa. */
function letters(count: number): string {
  const last = String.fromCharCode(97 + (count % 26));
  return count < 26 ? last : letters(Math.floor(count / 26) - 1) + last;
}

export function ownerTitle(object: KubeObject, names: Names): string | undefined {
  const owner = controllerOf(object);
  return owner === undefined ? undefined : `${owner.kind.toLowerCase()}/${names.within(owner.name)}`;
}
