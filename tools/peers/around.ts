import type { Peer } from './peers.ts';

/** What `go mod edit -json` tells of a module's go.mod. */
export interface Lists {
  readonly Go?: string;
  readonly Godebug?: readonly { readonly Key: string; readonly Value: string }[] | null;
  readonly Require?: readonly { readonly Path: string; readonly Version: string }[] | null;
  readonly Replace?:
    | readonly {
        readonly Old: { readonly Path: string };
        /** A path without a version is a folder. */
        readonly New: { readonly Path: string; readonly Version?: string };
      }[]
    | null;
}

/**
 * The go.mod of a module that does nothing but require a peer's. Replacements count only in the module that is built, and
 * those by folders name what is not in a download, so each becomes the version under which that folder was published.
 */
export function formatAround({ module, version, around }: Peer, lists: Lists): string {
  const replaced = (lists.Replace ?? []).flatMap(({ Old, New }) => {
    if (New.Version !== undefined) return [`\t${Old.Path} => ${New.Path} ${New.Version}`];
    return around?.besideVersion === undefined ? [] : [`\t${Old.Path} => ${Old.Path} ${around.besideVersion}`];
  });
  return `${[
    'module signalbox.dev/peers/around',
    `go ${lists.Go ?? '1.24'}`,
    // How the standard library behaves is the say of whoever is built.
    ...(lists.Godebug ?? []).map(({ Key, Value }) => `godebug ${Key}=${Value}`),
    `require ${module} ${version}`,
    ...(replaced.length === 0 ? [] : [['replace (', ...replaced, ')'].join('\n')]),
  ].join('\n\n')}\n`;
}
