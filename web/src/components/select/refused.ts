/** A selection or an edit that the interface refuses, with its message for the user. */
export class Refused extends Error {}
