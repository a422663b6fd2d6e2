export const WRITE = 'write_candidate';
export const CHECK = 'check_candidate';
export const TRY = 'try_candidate';
