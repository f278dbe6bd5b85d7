/** Names of images: `quay.io/prometheus/prometheus:v3.1.0`, `busybox`, `web@sha256:…`. */
export interface ImageName {
  /** `quay.io/prometheus/prometheus`, as it was written: no registry is added. */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const syntax =
  /^([a-z0-9]+(?:[._-]+[a-z0-9]+)*(?::\d+)?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*|[A-Za-z0-9.-]+(?::\d+)?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+)(?::(\w[\w.-]{0,127}))?(?:@([a-z0-9+._-]+:[0-9a-f]{32,}))?$/;
const lengthMax = 512;

/** Undefined: that is no name of an image. */
export function parseImageName(text: string): ImageName | undefined {
  if (text.length > lengthMax) return undefined;
  const [, repository, tag, digest] = syntax.exec(text) ?? [];
  return repository === undefined ? undefined : withTag({ repository, tag, digest });
}

/** Without a path, what follows the colon is a tag, not a port. */
function withTag(name: ImageName): ImageName {
  const [, repository, tag] = /^([^/:]+):(\d+)$/.exec(name.repository) ?? [];
  return repository === undefined || name.tag !== undefined ? name : { ...name, repository, tag };
}

/** As registries know it, so that names of the same image are the same: `docker.io/library/busybox:latest`. */
export function fullImageName({ repository, tag, digest }: ImageName): string {
  const parts = repository.split('/');
  const [first = ''] = parts;
  const hasRegistry = parts.length > 1 && (/[.:]/.test(first) || first === 'localhost');
  const path = hasRegistry ? repository : `docker.io/${parts.length === 1 ? 'library/' : ''}${repository}`;
  return `${path}${digest === undefined ? `:${tag ?? 'latest'}` : `@${digest}`}`;
}
