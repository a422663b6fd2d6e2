/** Injection token of a service's WorkHandler list; an empty list for a service without long work. */
export const WORK_HANDLERS = Symbol('WORK_HANDLERS');
