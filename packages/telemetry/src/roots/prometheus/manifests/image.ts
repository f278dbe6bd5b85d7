import { isServer, type PrometheusRoot } from '../config/document.ts';
import { formatVersion, type Version } from '../config/version.ts';
import type { PrometheusOptions } from './flavour.ts';

/**
 * What the pods run: `image` as it is, else the base image with the deprecated `sha` or `tag`, else with the version. A base
 * image that has a tag or a digest already is taken as it is.
 */
export function imageOf(root: PrometheusRoot, version: Version, options: PrometheusOptions): string {
  const { image } = root.spec;
  if (image?.trim()) return image;
  const { baseImage, tag, sha } = isServer(root) ? root.spec : {};
  const base = baseImage?.trim() || options.prometheusImage;
  if (/[@:][^/]*$/.test(base)) return base;
  if (sha?.trim()) return `${base}@sha256:${sha}`;
  return tag?.trim() ? `${withRegistry(base)}:${tag}` : `${base}:v${formatVersion(version)}`;
}

/** As a registry's client completes a name. */
function withRegistry(name: string): string {
  const [first = '', ...rest] = name.split('/');
  if (rest.length === 0) return `docker.io/library/${name}`;
  return /[.:]|^localhost$/.test(first) ? name : `docker.io/${name}`;
}
