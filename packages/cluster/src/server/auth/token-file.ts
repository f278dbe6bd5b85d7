import type { User } from '../../api/operation.ts';
import type { KnownToken } from './authenticate.ts';

const columnsMin = 3;

/**
 * Upstream's file of static tokens: `token,user,uid,"group1,group2"` a line. Throws an Error of one line that names the line
 * and nothing that stands there. Pure.
 */
export function parseTokenFile(text: string): readonly KnownToken[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '' || line.trimStart().startsWith('#')) return [];
    const fields = fieldsOf(line);
    const wrong = (why: string): Error => new Error(`line ${index + 1}: ${why}`);
    if (fields.length < columnsMin)
      throw wrong(`must have at least 3 columns (token, user name, user uid), found ${fields.length}`);
    const [token = '', name = '', uid = '', groups = ''] = fields;
    if (token === '') throw wrong('the token is empty');
    if (name === '') throw wrong('the user name is empty');
    return [{ token, user: userOf({ name, uid, groups }) }];
  });
}

function fieldsOf(line: string): readonly string[] {
  const fields = `${line.trim()},`.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*,/g);
  return [...fields].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain?.trim() ?? '');
}

function userOf({ name, uid, groups }: { readonly name: string; readonly uid: string; readonly groups: string }): User {
  const all = groups.split(',').flatMap((group) => (group.trim() === '' ? [] : [group.trim()]));
  return { name, groups: all, ...(uid !== '' && { uid }) };
}
