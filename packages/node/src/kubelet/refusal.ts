/** What clients of the door get as plain text, as from a kubelet. */
export class DoorRefusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
