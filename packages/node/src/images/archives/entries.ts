/** What an entry of a layer means for the files of an image. */

/** As the tar says it. */
export interface LayerEntry {
  readonly path: string;
  readonly type: string;
  readonly linkpath?: string | undefined;
}

export type EntryAction =
  | { readonly is: 'file' | 'folder'; readonly path: string }
  | { readonly is: 'link'; readonly path: string; readonly target: string }
  /** Another name of a file that is there. */
  | { readonly is: 'name'; readonly path: string; readonly of: string }
  /** A layer below has it, and this one has not. */
  | { readonly is: 'remove'; readonly path: string }
  /** Nothing of the layers below is in this folder. */
  | { readonly is: 'clear'; readonly path: string }
  /** Devices and pipes: containers get theirs elsewhere. */
  | { readonly is: 'nothing' };

const whiteout = '.wh.';
const opaque = '.wh..wh..opq';

/** Throws for paths that lead out of the image. */
export function planEntry({ path: written, type, linkpath = '' }: LayerEntry): EntryAction {
  const path = insidePath(written);
  const at = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, at), path.slice(at)];
  if (name === opaque) return { is: 'clear', path: folder.replace(/\/$/, '') };
  if (name.startsWith(whiteout)) {
    const hidden = name.slice(whiteout.length);
    // One that only hides a folder's own bookkeeping, of a file system that nobody has any more.
    return hidden.startsWith(whiteout) ? { is: 'nothing' } : { is: 'remove', path: insidePath(`${folder}${hidden}`) };
  }
  switch (type) {
    case 'File':
    case 'OldFile':
    case 'ContiguousFile':
      return { is: 'file', path };
    case 'Directory':
    case 'GNUDumpDir':
      return { is: 'folder', path };
    case 'SymbolicLink':
      if (linkpath === '' || linkpath.includes('\0')) throw new Error(`${written} is a link to nothing`);
      // Wherever it leads: it is followed within the image only.
      return { is: 'link', path, target: linkpath };
    case 'Link':
      return { is: 'name', path, of: insidePath(linkpath) };
    default:
      return { is: 'nothing' };
  }
}

function insidePath(written: string): string {
  const parts = written.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || written.includes('\0'))
    throw new Error(`${JSON.stringify(written)} leads out of the image`);
  return parts.join('/');
}
