/** Who users and groups of an image are, by its own `/etc/passwd` and `/etc/group`. */
import type { Accounts } from './image.ts';

/** What every sandbox of programs has. */
export const programAccounts: Accounts = {
  passwd: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
  group: 'root:x:0:\nnogroup:x:65534:\nnobody:x:65534:\n',
};

export interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  /** Besides `gid`. */
  readonly groups: readonly number[];
}

export type FoundAccount =
  | ({ readonly is: 'found' } & Account)
  | { readonly is: 'unknown' /** `user mary`, `group staff`. */; readonly what: string };

interface PasswdLine {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** `user` as images and security contexts spell it: a number or a name, then a group after a colon. */
export function findAccount(user: string, accounts: Accounts): FoundAccount {
  const [who = '', which] = user === '' ? ['0'] : user.split(':', 2);
  const line = passwdLines(accounts).find(({ name, uid }) => name === who || String(uid) === who);
  const uid = line?.uid ?? numberOf(who);
  if (uid === undefined) return { is: 'unknown', what: `user ${who}` };
  const gid = which === undefined || which === '' ? (line?.gid ?? 0) : groupId(which, accounts);
  if (gid === undefined) return { is: 'unknown', what: `group ${which}` };
  return {
    is: 'found',
    uid,
    gid,
    home: line?.home ?? '/',
    groups: line === undefined ? [] : groupsOf(line.name, accounts).filter((each) => each !== gid),
  };
}

function numberOf(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

function passwdLines({ passwd }: Accounts): readonly PasswdLine[] {
  return passwd.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = '', , home = '/'] = line.split(':');
    const ids = [numberOf(uid), numberOf(gid)];
    if (name === '' || ids[0] === undefined || ids[1] === undefined) return [];
    return [{ name, uid: ids[0], gid: ids[1], home: home === '' ? '/' : home }];
  });
}

function groupLines({ group }: Accounts): readonly (readonly [string, number, readonly string[]])[] {
  return group.split('\n').flatMap((line) => {
    const [name = '', , gid = '', members = ''] = line.split(':');
    const number = numberOf(gid);
    return name === '' || number === undefined ? [] : [[name, number, members.split(',')] as const];
  });
}

function groupId(text: string, accounts: Accounts): number | undefined {
  return groupLines(accounts).find(([name]) => name === text)?.[1] ?? numberOf(text);
}

function groupsOf(user: string, accounts: Accounts): readonly number[] {
  return groupLines(accounts).flatMap(([, gid, members]) => (members.includes(user) ? [gid] : []));
}
