import { defaultFolder } from '../io/places.ts';
import { shellWord } from './shell.ts';

/** What a command needs to mean the same data folder: nothing for the usual one. */
export function dataOption({ data }: { readonly data: string | undefined }): string {
  return data === undefined || data === defaultFolder ? '' : ` --data ${shellWord(data)}`;
}
